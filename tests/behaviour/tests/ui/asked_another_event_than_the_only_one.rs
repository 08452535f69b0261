use actor_core::prelude::*;

#[derive(Debug)]
struct A;
#[derive(Debug)]
struct B;
struct Server;

#[actor]
impl Server {
    #[on]
    fn a(&mut self, _: A) {}
}

async fn f(s: ActorRef<Server>) {
    s.ask(B).await.unwrap();
}

fn main() {}
