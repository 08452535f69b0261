use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states(Idle, Busy))]
impl Server {
    #[on(Idle)]
    fn ping(&mut self, _: Ping, reply: Reply<u64>) {
        reply.send(1);
    }

    #[on(Busy)]
    fn wait(&mut self, _: Ping) -> u32 {
        1
    }
}

fn main() {}
