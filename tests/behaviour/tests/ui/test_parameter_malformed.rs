use actor_core::System;
use actor_macros::actor_test;

#[actor_test(_n = 3, _m in, _k in 2 +, seed = 7, _l in 2..=4 step 2)]
fn a_test(_sys: &System, _n: u32, _m: u32, _k: u32, _l: u32) {}

fn main() {}
