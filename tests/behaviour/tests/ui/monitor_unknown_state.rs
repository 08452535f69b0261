use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Answered;

#[monitor(hot(Pending), cold(Quiet))]
impl Answered {
    #[on(Quite)]
    fn ping(&mut self, _: &Ping) {}
}

fn main() {}
