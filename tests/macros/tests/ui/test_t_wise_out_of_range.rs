use actor_core::System;
use actor_macros::actor_test;

#[actor_test(n in 2..=4, m in 0..2, t_wise = 3)]
fn a_test(_sys: &System, n: u32, m: u32) {}

#[actor_test(n in 2..=4, m in 0..2, t_wise = 0)]
fn another_test(_sys: &System, n: u32, m: u32) {}

fn main() {}
