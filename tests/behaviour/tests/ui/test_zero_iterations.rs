use actor_core::System;
use actor_macros::actor_test;

#[actor_test(iterations = 0)]
fn a_test(_sys: &System) {}

fn main() {}
