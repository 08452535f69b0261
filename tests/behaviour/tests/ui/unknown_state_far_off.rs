use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states(Idle, Waiting))]
impl Server {
    #[on(Sleeping)]
    fn ping(&mut self, _: Ping) {}
}

fn main() {}
