use actor_core::prelude::*;

#[derive(Debug)]
struct Put<T>(T);
struct Store<T> {
    value: T,
}

#[actor]
impl<T: Send + 'static> Store<T> {
    #[on]
    fn put(&mut self, put: Put<T>) {
        self.value = put.0;
    }
}

fn main() {}
