use actor_core::protocol;

#[derive(Debug)]
struct Get;

#[protocol(krate = ::actor_core)]
trait Store<K>: Send {
    fn get(get: Get);
}

fn main() {}
