use actor_core::System;
use actor_macros::actor_test;

#[actor_test(_sise in 2..=4, _lossy in [true], _other in 0..2)]
fn a_test(_sys: &System, _size: u32, _lossy: bool) {}

fn main() {}
