use actor_core::System;
use actor_macros::actor_test;

#[actor_test(_pair in [(1, 2)], _into in 0..2)]
fn a_test(_sys: &System, (_n, _m): (u32, u32), _: u32, _into: impl Into<u32>) {}

fn main() {}
