use actor_core::System;
use actor_macros::actor_test;

#[actor_test]
#[should_panic]
fn a_test(_sys: &System) {}

fn main() {}
