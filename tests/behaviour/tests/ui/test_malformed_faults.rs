use actor_core::System;
use actor_macros::actor_test;

#[actor_test(faults(full = "two", call))]
fn a_test(_sys: &System) {}

#[actor_test(faults)]
fn another_test(_sys: &System) {}

fn main() {}
