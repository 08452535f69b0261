use actor_core::prelude::*;

#[derive(Debug)]
struct Get<'a>(&'a str);

#[protocol]
trait Store {
    fn get(get: Get<'_>);
}

fn main() {}
