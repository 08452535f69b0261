use actor_core::prelude::*;

#[derive(Debug)]
struct Ping {
    from: Recipient<u64>,
}

struct Answered;

#[monitor(hot, cold)]
impl Answered {
    #[on]
    fn ping(&mut self, ping: &Ping) {
        ping.from.tell(1);
    }
}

fn main() {}
