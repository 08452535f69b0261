use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[cfg(not(any()))]
    #[on]
    fn ping(&mut self, _: Ping) {}

    #[cfg(not(windows))]
    #[on]
    fn ping_again(&mut self, _: Ping) {}
}

fn main() {}
