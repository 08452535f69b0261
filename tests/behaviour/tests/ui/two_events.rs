use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
#[derive(Debug)]
struct Pong;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping, _: Pong) {}
}

fn main() {}
