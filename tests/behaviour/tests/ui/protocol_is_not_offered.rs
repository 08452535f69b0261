use actor_core::prelude::*;

#[derive(Debug)]
struct Get;
#[derive(Debug)]
struct Put;

#[protocol]
trait Store {
    fn get(get: Get) -> u64;
    fn put(put: Put);
}

struct Archive;

#[actor]
impl Archive {
    #[on]
    fn get(&mut self, _: Get) -> u64 {
        7
    }
}

fn main() {
    fn keep(archive: &ActorRef<Archive>) -> StoreRef {
        archive.into()
    }
}
