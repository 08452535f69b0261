use actor_core::prelude::*;

#[derive(Debug)]
struct Ping<'a>(&'a str);
struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, ping: Ping<'_>) {
        let _ = ping.0;
    }
}

fn main() {}
