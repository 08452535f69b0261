use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
#[derive(Debug)]
struct Stop;

struct Server;

#[actor(states(Idle, Waiting(defer(Stop)), Waiting), recieve(Ping))]
impl Server {
    #[on(Idel)]
    fn ping(&mut self, cx: &mut Context<Self>, _: Ping) {
        cx.halt();
    }

    #[enter(Idle)]
    fn begin(&mut self, _: Ping) {}

    #[on]
    fn stopped(&mut self, _: &Stop) -> u64 {
        1
    }

    #[on]
    fn stop(self, _: Stop) {}
}

// The item is still there, and so is the actor: none of this is an error of its own.
fn use_it(server: ActorRef<Server>) -> ServerState {
    server.tell(Stop);
    server.tell(Ping);
    ServerState::Idle
}

fn main() {}
