use actor_core::prelude::*;

#[derive(Debug)]
struct A;
struct Watch<'a>(&'a str);

#[monitor(hot, cold)]
impl<'a> Watch<'a> {
    #[on]
    fn a(&mut self, _: &A) {}
}

fn main() {}
