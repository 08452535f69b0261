use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states(Idle, Waiting))]
impl Server {
    #[on(Idle, Waiting)]
    fn ping(&mut self, _: Ping) {}

    #[on(Waiting)]
    fn ping_again(&mut self, _: Ping) {}
}

fn main() {}
