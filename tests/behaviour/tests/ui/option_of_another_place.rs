use actor_core::prelude::*;
use actor_macros::actor_test;

#[derive(Debug)]
struct Ping;

#[derive(Default)]
struct Answered;

#[monitor(states(Calm, Busy))]
impl Answered {
    #[on]
    fn ping(&mut self, _: &Ping) {}
}

#[actor(hot)]
impl Answered {}

#[actor_test(monitors(Answered), flavor = "current_thread", timeout = 5, nodes = 3)]
fn a_test(_sys: &System) {}

fn main() {}
