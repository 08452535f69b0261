use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping, one: Reply<u64>, two: Reply<u64>) {
        one.send(1);
        two.send(2);
    }
}

fn main() {}
