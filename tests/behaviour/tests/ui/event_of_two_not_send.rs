use actor_core::prelude::*;

#[derive(Debug)]
struct Ping(std::rc::Rc<u8>);
#[derive(Debug)]
struct Pong;
struct Server;

#[actor]
impl Server {
    #[on]
    fn pong(&mut self, _: Pong) -> u8 {
        1
    }
    #[on]
    fn ping(&mut self, ping: Ping) {
        let _ = ping.0;
    }
}

fn main() {}
