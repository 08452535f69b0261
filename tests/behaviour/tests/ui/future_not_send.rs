use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[on]
    async fn ping(&mut self, _: Ping) {
        let local = std::rc::Rc::new(1);
        std::future::ready(()).await;
        drop(local);
    }
}

fn main() {}
