use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
struct Server;

#[actor]
impl Server {
    #[on(Ping)]
    fn a(&mut self, _: Ping) {}
}

fn main() {}
