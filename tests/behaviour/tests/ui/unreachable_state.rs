use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor(states(Idle, Waiting, Done))]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping, cx: &mut Context<Self>) {
        cx.goto(ServerState::Waiting);
    }
}

fn main() {}
