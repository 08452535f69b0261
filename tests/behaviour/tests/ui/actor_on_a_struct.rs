use actor_core::prelude::*;

#[actor]
struct Server;

fn main() {}
