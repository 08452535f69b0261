use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[on]
    const PING: Ping = Ping;

    #[on]
    fn ping(&mut self, _: Ping) {
        let Ping = Self::PING;
    }
}

fn main() {}
