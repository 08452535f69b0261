use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, names: Vec<&str>) {
        let _ = names;
    }
}

fn main() {}
