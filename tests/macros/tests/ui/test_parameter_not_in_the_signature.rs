use actor_core::System;
use actor_macros::actor_test;

#[actor_test(sise in 2..=4, lossy in [true], sizes in 0..2)]
fn a_test(_sys: &System, size: u32, lossy: bool) {}

fn main() {}
