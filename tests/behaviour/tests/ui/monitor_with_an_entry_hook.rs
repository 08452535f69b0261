use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Answered;

#[monitor(hot, cold)]
impl Answered {
    #[entry(Hot)]
    fn begin(&mut self) {}
}

fn main() {}
