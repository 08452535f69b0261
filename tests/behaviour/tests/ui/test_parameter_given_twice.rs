use actor_core::System;
use actor_macros::actor_test;

#[actor_test(_n in 2..=4, _n in [7])]
fn a_test(_sys: &System, _n: u32) {}

fn main() {}
