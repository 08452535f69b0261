use actor_core::System;
use actor_macros::actor_test;

#[actor_test(n = 3, m in, k in 2 +, seed = 7, l in 2..=4 step 2)]
fn a_test(_sys: &System, n: u32, m: u32, k: u32, l: u32) {}

fn main() {}
