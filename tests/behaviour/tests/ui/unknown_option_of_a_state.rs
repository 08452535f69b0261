use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states(Idle, Waiting(deffer(Ping))))]
impl Server {
    #[on(Idle)]
    fn ping(&mut self, _: Ping) {}
}

fn main() {}
