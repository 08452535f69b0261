use actor_core::prelude::*;

#[derive(Debug)]
struct Get;
#[derive(Debug)]
struct Put;
#[derive(Debug)]
struct Burn;

#[protocol]
trait Store {
    fn get(get: Get) -> u64;
    fn put(put: Put);
}

fn main() {
    fn burn(store: &StoreRef) {
        store.tell(Burn);
    }
}
