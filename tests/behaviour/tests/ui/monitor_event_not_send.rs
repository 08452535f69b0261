use actor_core::prelude::*;

#[derive(Debug)]
struct A(std::rc::Rc<u8>);
struct Watch;

#[monitor(hot, cold)]
impl Watch {
    #[on]
    fn a(&mut self, _: &A) {}
}

fn main() {}
