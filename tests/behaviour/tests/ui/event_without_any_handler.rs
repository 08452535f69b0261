use actor_core::prelude::*;

#[derive(Debug)]
struct B;
struct Server;

#[actor]
impl Server {}

fn f(sys: &System) {
    let s = sys.spawn(Server);
    s.tell(B);
}

fn main() {}
