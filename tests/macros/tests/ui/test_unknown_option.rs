use actor_core::System;
use actor_macros::actor_test;

#[actor_test(iteration = 5, faults(drop))]
fn a_test(_sys: &System) {}

fn main() {}
