use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
struct Reader<'a> {
    text: &'a str,
}

#[actor(states(A, B))]
impl<'a> Reader<'a> {
    #[on]
    async fn ping(&mut self, _: Ping, cx: &mut Context<Self>) {
        let _ = self.text;
        cx.goto(ReaderState::B)
    }
}

fn main() {}
