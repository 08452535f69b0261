use actor_core::System;
use actor_macros::actor_test;

#[actor_test(n in 2..=4, m in 0..2, pairwise, t_wise = 1, parwise)]
fn a_test(_sys: &System, n: u32, m: u32) {}

fn main() {}
