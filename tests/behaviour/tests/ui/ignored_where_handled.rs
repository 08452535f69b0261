use actor_core::prelude::*;

#[derive(Debug)]
struct A;
#[derive(Debug)]
struct Go;
struct Server;

#[actor(states(S(ignore(A)), T))]
impl Server {
    #[on(S)]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(ServerState::T)
    }
    #[on(S)]
    fn a(&mut self, _: A) {}
}

fn main() {}
