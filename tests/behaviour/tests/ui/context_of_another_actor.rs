use actor_core::prelude::*;

#[derive(Debug)]
struct A;
struct Other;

#[actor]
impl Other {}

struct Server;

#[actor]
impl Server {
    #[on]
    fn a(&mut self, _: A, cx: &mut Context<Other>) {
        cx.me();
    }
}

fn main() {}
