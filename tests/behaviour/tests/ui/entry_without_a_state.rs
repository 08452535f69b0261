use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states(Idle))]
impl Server {
    #[entry]
    fn begin(&mut self) {}
}

fn main() {}
