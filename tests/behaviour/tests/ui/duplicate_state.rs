use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states(Idle, Idle))]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping) {}
}

fn main() {}
