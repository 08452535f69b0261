use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {}

struct Answered;

#[monitor(hot, cold)]
impl Answered {
    #[on]
    fn ping(&mut self, _: &Ping, _: &mut Context<Server>) {}
}

fn main() {}
