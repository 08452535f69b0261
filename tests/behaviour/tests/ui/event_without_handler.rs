use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
#[derive(Debug)]
struct Pong;
#[derive(Debug)]
struct Stop;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping) {}

    #[on]
    fn stop(&mut self, _: Stop) {}
}

fn send(server: ActorRef<Server>) {
    server.tell(Pong);
}

fn main() {}
