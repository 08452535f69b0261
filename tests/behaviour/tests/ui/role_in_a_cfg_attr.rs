use actor_core::prelude::*;

#[derive(Debug)]
struct A;
struct Server;

#[actor]
impl Server {
    #[cfg_attr(all(), on)]
    fn a(&mut self, _: A) {}
}

fn main() {}
