use actor_core::System;
use actor_macros::actor_test;

#[actor_test(clocks(ofset = "1ms", drift = 2, jump = 5, resolution))]
fn a_test(_sys: &System) {}

#[actor_test(clocks)]
fn another_test(_sys: &System) {}

fn main() {}
