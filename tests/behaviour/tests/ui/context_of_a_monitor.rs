use actor_core::prelude::*;

#[derive(Debug)]
struct A;
struct Server;

#[actor]
impl Server {
    #[on]
    fn a(&mut self, _: A, cx: &mut MonitorContext<Self>) {
        let _ = cx;
    }
}

fn main() {}
