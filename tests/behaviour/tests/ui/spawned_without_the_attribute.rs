use actor_core::prelude::*;

struct Server;

fn f(sys: &System) {
    sys.spawn(Server);
}

fn main() {}
