use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Boots, Bug, Interrupts, set_up};

#[actor_test(max_steps = 100)]
async fn it_boots(sys: &System) {
    sys.monitor::<Boots>();
    let boot = set_up(sys, 3, None);
    assert_eq!(boot.ask(Interrupts).await, Ok(4));
}

/// Every fair schedule finds the bug, without a specification.
#[actor_test(
    max_steps = 100,
    expect_bug = "`Boot` handled only events that it had sent itself"
)]
fn it_spins(sys: &System) {
    set_up(sys, 1, Some(Bug::HaltReturnsIfAny));
}

/// The monitor says that the boot never ends, but does not name the actor that spins.
#[actor_test(max_steps = 100, expect_bug = "monitor `Boots` is hot in `Booting`")]
fn it_never_boots(sys: &System) {
    sys.monitor::<Boots>();
    set_up(sys, 1, Some(Bug::HaltReturnsIfAny));
}

/// Boot takes the clock interrupt at once, since it waits for it.
#[actor_test(max_steps = 100)]
async fn the_clock_alone_hides_the_bug(sys: &System) {
    let boot = set_up(sys, 0, Some(Bug::HaltReturnsIfAny));
    assert_eq!(boot.ask(Interrupts).await, Ok(1));
}
