use actor_core::System;
use actor_macros::actor_test;

#[actor_test(max_steps = "500-2000", timers = impatient, seed, expect_bug = "", strategy = pct)]
fn a_test(_sys: &System) {}

fn main() {}
