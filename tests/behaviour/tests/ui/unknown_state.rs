use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states(Idle, Waiting))]
impl Server {
    #[on(Wating)]
    fn ping(&mut self, _: Ping) {}
}

fn main() {}
