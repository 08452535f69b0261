use actor_core::prelude::*;

#[derive(Debug)]
struct A;
struct Watch<T>(T);

#[monitor(hot, cold)]
impl<T> Watch<T> {
    #[on]
    fn a(&mut self, _: &A) {}
}

fn main() {}
