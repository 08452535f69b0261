use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states())]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping) {}
}

fn main() {}
