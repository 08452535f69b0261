use actor_core::System;
use actor_macros::actor_test;

#[actor_test(iteration = 5, worlds(drop))]
fn a_test(_sys: &System) {}

fn main() {}
