use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
struct Quiet;

struct Server;

#[actor]
impl Server {
    #[on]
    fn quiet(&mut self, _: Quiet) {}
}

fn main() {}
