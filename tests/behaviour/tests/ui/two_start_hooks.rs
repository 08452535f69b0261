use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[start]
    fn start(&mut self) {}

    #[start]
    fn begin(&mut self) {}
}

fn main() {}
