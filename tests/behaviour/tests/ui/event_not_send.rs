use actor_core::prelude::*;

#[derive(Debug)]
struct Ping(std::rc::Rc<u8>);
struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, ping: Ping) {
        let _ = ping.0;
    }
}

fn main() {}
