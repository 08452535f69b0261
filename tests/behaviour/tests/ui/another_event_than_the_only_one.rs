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

fn f(sys: &System) {
    let s = sys.spawn(Server);
    s.tell(B);
}

fn main() {}
