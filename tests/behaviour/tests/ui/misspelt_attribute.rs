use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states(Idle))]
impl Server {
    #[enter(Idle)]
    fn begin(&mut self) {}
}

fn main() {}
