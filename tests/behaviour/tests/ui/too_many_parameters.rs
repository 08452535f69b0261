use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping, _cx: &mut Context<Self>, _twice: bool) {}
}

fn main() {}
