use actor_core::prelude::*;

#[derive(Debug)]
struct Ping<'a>(&'a str);
struct Server;

#[actor]
impl Server {
    #[on]
    fn ping<'a>(&mut self, ping: Ping<'a>) {
        let _ = ping.0;
    }
}

fn main() {}
