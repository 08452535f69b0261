use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Answered;

#[monitor(hot, cold)]
impl Answered {
    #[on]
    async fn ping(&mut self, _: &Ping) {}
}

fn main() {}
