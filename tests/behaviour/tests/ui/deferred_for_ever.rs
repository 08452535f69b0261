use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
#[derive(Debug)]
struct Pong;

struct Server;

#[actor(states(Idle, Waiting(defer(Pong))))]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping) {}
}

fn main() {}
