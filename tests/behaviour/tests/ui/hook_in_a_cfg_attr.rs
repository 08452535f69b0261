use actor_core::prelude::*;

#[derive(Debug)]
struct A;
struct Server;

#[actor(states(S))]
impl Server {
    #[cfg_attr(all(), entry(S), inline)]
    fn a(&mut self) {}
}

fn main() {}
