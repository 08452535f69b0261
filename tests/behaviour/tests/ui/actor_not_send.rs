use actor_core::prelude::*;
use std::rc::Rc;

#[derive(Debug)]
struct Add(u64);
#[derive(Debug)]
struct Total;
struct Counter {
    sum: Rc<u64>,
}

#[actor]
impl Counter {
    #[on]
    fn add(&mut self, add: Add) {
        self.sum = Rc::new(*self.sum + add.0);
    }

    #[on]
    fn total(&mut self, _: Total) -> u64 {
        *self.sum
    }
}

fn main() {}
