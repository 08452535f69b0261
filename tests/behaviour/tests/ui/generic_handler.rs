use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
use actor_core::Event;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping<E: Event>(&mut self, _: E) {}
}

fn main() {}
