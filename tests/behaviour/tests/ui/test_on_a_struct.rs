use actor_core::System;
use actor_macros::actor_test;

#[actor_test]
struct Test;

fn main() {}
