use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[stop]
    fn stop(&mut self) -> u64 {
        1
    }
}

fn main() {}
