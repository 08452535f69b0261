use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(mailbox(5))]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping) {}
}

fn main() {}
