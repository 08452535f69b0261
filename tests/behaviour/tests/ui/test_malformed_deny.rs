use actor_core::System;
use actor_macros::actor_test;

#[actor_test(deny = "vacuos")]
fn misspelt(_sys: &System) {}

#[actor_test(deny = "none,unreached")]
fn contradictory(_sys: &System) {}

#[actor_test(deny = vacuous)]
fn without_quotes(_sys: &System) {}

fn main() {}
