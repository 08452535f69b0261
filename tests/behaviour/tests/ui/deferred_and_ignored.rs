use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states(Idle, Waiting(defer(Ping), ignore(Ping))))]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping) {}
}

fn main() {}
