use actor_core::prelude::*;

#[derive(Debug)]
struct A;
struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _: A) -> Pongg {}
}

fn main() {}
