use actor_core::prelude::*;

struct Server;

#[actor]
impl Server {
    #[on]
    fn a(&mut self, _: dyn std::fmt::Debug) {}
}

fn main() {}
