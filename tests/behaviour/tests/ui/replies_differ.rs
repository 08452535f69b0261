use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states(Idle, Waiting))]
impl Server {
    #[on(Idle)]
    fn ping(&mut self, _: Ping) -> u64 {
        1
    }

    #[on(Waiting)]
    fn wait(&mut self, _: Ping) -> u32 {
        1
    }
}

fn main() {}
