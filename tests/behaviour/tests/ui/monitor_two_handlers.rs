use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Answered;

#[monitor(hot, cold)]
impl Answered {
    #[on(handled)]
    fn ping(&mut self, _: &Ping) {}

    #[on(handled)]
    fn again(&mut self, _: &Ping) {}
}

fn main() {}
