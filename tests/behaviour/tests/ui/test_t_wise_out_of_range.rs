use actor_core::System;
use actor_macros::actor_test;

#[actor_test(_n in 2..=4, _m in 0..2, t_wise = 3)]
fn a_test(_sys: &System, _n: u32, _m: u32) {}

#[actor_test(_n in 2..=4, _m in 0..2, t_wise = 0)]
fn another_test(_sys: &System, _n: u32, _m: u32) {}

fn main() {}
