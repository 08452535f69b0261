use actor_core::prelude::*;

#[derive(Debug)]
struct A;
struct Server;

#[actor(states(First, Second))]
impl Server {
    #[on(ServerState::Second)]
    fn a(&mut self, _: A) {}
}

fn main() {}
