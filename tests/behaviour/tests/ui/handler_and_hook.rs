use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[on]
    #[start]
    fn ping(&mut self, _: Ping) {}
}

fn main() {}
