use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping) {}

    #[on]
    fn other(&mut self, _: self::Ping) {}
}

fn main() {}
