use actor_core::System;
use actor_macros::actor_test;

#[actor_test(n in 2..=4)]
fn a_test(_sys: &System) {}

fn main() {}
