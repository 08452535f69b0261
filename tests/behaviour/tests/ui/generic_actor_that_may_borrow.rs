use actor_core::prelude::*;

#[derive(Debug)]
struct Get;
struct Store<T> {
    value: T,
}

#[actor]
impl<T: Send> Store<T> {
    #[on]
    fn get(&mut self, _: Get) {
        let _ = &self.value;
    }
}

fn main() {}
