use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, reply: Reply<u64>, _: Ping) {
        reply.send(1);
    }
}

fn main() {}
