use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

trait Answer {
    fn ping(&mut self, ping: Ping);
}

struct Server;

#[actor]
impl Answer for Server {
    #[on]
    fn ping(&mut self, _: Ping) {}
}

fn main() {}
