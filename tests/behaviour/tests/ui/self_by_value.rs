use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(self, _: Ping) {}
}

fn main() {}
