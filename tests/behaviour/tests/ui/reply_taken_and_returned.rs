use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping, reply: Reply<u64>) -> u64 {
        reply.send(1);
        1
    }
}

fn main() {}
