use actor_core::protocol;

#[derive(Debug)]
struct Get;

#[protocol]
trait Store {
    fn get(_: Get) -> u64 {
        7
    }
}

fn main() {}
