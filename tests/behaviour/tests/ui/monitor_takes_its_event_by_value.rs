use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Answered;

#[monitor(hot, cold)]
impl Answered {
    #[on]
    fn ping(&mut self, _: Ping) {}
}

fn main() {}
