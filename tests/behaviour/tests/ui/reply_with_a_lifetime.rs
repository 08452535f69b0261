use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
struct Server {
    name: String,
}

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping) -> Option<&str> {
        Some(&self.name)
    }
}

fn main() {}
