use actor_core::System;
use actor_macros::actor_test;

#[actor_test(n in [(1, 2)])]
fn a_test(_sys: &System, (n, m): (u32, u32), _: u32, t: impl Into<u32>) {}

fn main() {}
