use actor_core::prelude::*;

struct A;

struct Watch;

#[monitor(hot, cold)]
impl Watch {
    #[on]
    fn a(&mut self, _: &A) {}
}

fn main() {}
