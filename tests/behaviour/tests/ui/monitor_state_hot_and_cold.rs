use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Answered;

#[monitor(hot(Pending), cold(Pending))]
impl Answered {
    #[on]
    fn ping(&mut self, _: &Ping) {}
}

fn main() {}
