use actor_core::System;
use actor_macros::actor_test;

#[actor_test(n in 2..=4, n in [7])]
fn a_test(_sys: &System, n: u32) {}

fn main() {}
