use actor_core::protocol;

#[derive(Debug)]
struct Get;
#[derive(Debug)]
struct Put;

#[protocol]
trait Store {
    fn get(&self, get: Get) -> u64;
    fn put(put: &Put);
    async fn both(get: Get, put: Put);
    type Value;
}

fn main() {}
