use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Boots, Bug, Interrupts, set_up};

#[actor_test(max_steps = 100)]
async fn it_boots(sys: &System) {
    sys.monitor::<Boots>();
    let boot = set_up(sys, 3, None);
    assert_eq!(boot.ask(Interrupts).await, Ok(4));
}

/// Found by every fair schedule, and without a specification.
#[actor_test(
    max_steps = 100,
    expect_bug = "`Boot` handled only events that it had sent itself"
)]
fn it_spins(sys: &System) {
    set_up(sys, 1, Some(Bug::HaltReturnsIfAny));
}

/// A monitor says what is missing, but not who is busy.
#[actor_test(max_steps = 100, expect_bug = "monitor `Boots` is hot in `Booting`")]
fn it_never_boots(sys: &System) {
    sys.monitor::<Boots>();
    set_up(sys, 1, Some(Bug::HaltReturnsIfAny));
}

/// An interrupt that is waited for is taken at once.
#[actor_test(max_steps = 100)]
async fn the_clock_alone_hides_the_bug(sys: &System) {
    let boot = set_up(sys, 0, Some(Bug::HaltReturnsIfAny));
    assert_eq!(boot.ask(Interrupts).await, Ok(1));
}
