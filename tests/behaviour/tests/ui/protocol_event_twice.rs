use actor_core::protocol;

#[derive(Debug)]
struct Get;

#[protocol]
trait Store {
    fn get(get: Get) -> u64;
    fn find(get: Get);
}

fn main() {}
