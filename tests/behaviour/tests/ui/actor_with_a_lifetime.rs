use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
struct Reader<'a> {
    text: &'a str,
}

#[actor]
impl<'a> Reader<'a> {
    #[on]
    fn ping(&mut self, _: Ping) {
        let _ = self.text;
    }
}

fn main() {}
