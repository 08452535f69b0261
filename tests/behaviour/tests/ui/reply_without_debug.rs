use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
struct Pong;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping) -> Pong {
        Pong
    }
}

fn main() {}
