use actor_core::protocol;

#[protocol]
trait Store {
    fn get<E: std::fmt::Debug>(get: E);
}

fn main() {}
