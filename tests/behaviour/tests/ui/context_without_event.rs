use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _cx: &mut Context<Self>) {}
}

fn main() {}
