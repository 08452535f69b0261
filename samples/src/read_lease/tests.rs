//! No read is stale.

use std::time::Duration;

use actor_core::prelude::*;
use actor_test::actor_test;

use super::{Bug, LEASE, Primary, Read, Secondary, Write, safe_grace, set_up};

// ANCHOR: scenario
/// Writes as soon as the secondary leads, and reads from who led before.
async fn write_and_read(sys: &System, grace: Duration, bug: Option<Bug>) {
    let (primary, secondary) = set_up(sys, grace, bug).await.expect("both have booted");
    stale_read(sys, &primary, &secondary).await;
}

async fn stale_read(sys: &System, primary: &ActorRef<Primary>, secondary: &ActorRef<Secondary>) {
    let patience = Duration::from_secs(5);
    if secondary.ask(Write(1)).timeout(patience).await.is_ok()
        && let Ok(Some(read)) = primary.ask(Read).await
    {
        assert_eq!(read, 1, "a stale read");
    }
    // Beacons would go on.
    sys.finish();
}
// ANCHOR_END: scenario

/// A millionth of a second, by which the margin is too small.
const TOO_LITTLE: Duration = Duration::from_micros(1);

// ANCHOR: margin
#[actor_test(
    clocks(drift = 0.01),
    faults(partition = 1),
    iterations = 10_000,
    expect_bug = "a stale read"
)]
async fn without_a_margin_reads_are_stale(sys: &System) {
    write_and_read(sys, LEASE, None).await;
}

#[actor_test(clocks(drift = 0.01), faults(partition = 1))]
async fn the_right_margin_is_enough(sys: &System) {
    write_and_read(sys, safe_grace(LEASE), None).await;
}

#[actor_test(
    clocks(drift = 0.01),
    faults(partition = 1),
    iterations = 10_000,
    expect_bug = "a stale read"
)]
async fn a_microsecond_less_is_not(sys: &System) {
    write_and_read(sys, safe_grace(LEASE) - TOO_LITTLE, None).await;
}
// ANCHOR_END: margin

/// Where clocks go right, there is no need of a margin.
#[actor_test(clocks(offset = "1s"), faults(partition = 1), iterations = 500)]
async fn clocks_that_go_right_need_no_margin(sys: &System) {
    write_and_read(sys, LEASE, None).await;
}

#[actor_test(faults(partition = 1), expect_bug = "a stale read")]
async fn a_lease_counts_from_when_it_was_asked_for(sys: &System) {
    write_and_read(sys, safe_grace(LEASE), Some(Bug::FromArrival)).await;
}

// ANCHOR: jumps
const JUMP: Duration = Duration::from_millis(10);

#[actor_test(
    clocks(jump = "10ms"),
    faults(clock = 1, partition = 1),
    strategy = "timed-pos-local",
    iterations = 10_000,
    expect_bug = "a stale read"
)]
async fn a_clock_that_jumps_needs_a_margin(sys: &System) {
    write_and_read(sys, LEASE + JUMP - TOO_LITTLE, None).await;
}

#[actor_test(clocks(jump = "10ms"), faults(clock = 1, partition = 1))]
async fn as_wide_as_the_jump(sys: &System) {
    write_and_read(sys, LEASE + JUMP, None).await;
}
// ANCHOR_END: jumps

/// Looks whether a lease holds whose primary's date is set back.
async fn set_back(sys: &System, bug: Option<Bug>) {
    let (primary, secondary) = set_up(sys, LEASE, bug).await.expect("both have booted");
    sys.sleep(LEASE / 3).await;
    sys.faults().set_back("primary", 2 * LEASE);
    stale_read(sys, &primary, &secondary).await;
}

#[actor_test(iterations = 500)]
async fn a_date_that_is_set_back_is_not_looked_at(sys: &System) {
    set_back(sys, None).await;
}

/// The tester answers for the date on Linux alone.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[actor_test(expect_bug = "a stale read")]
async fn a_date_is_no_clock(sys: &System) {
    set_back(sys, Some(Bug::ByDate)).await;
}

// ANCHOR: resolution
#[actor_test(
    clocks(drift = 0.01, resolution = "1ms"),
    iterations = 10_000,
    expect_bug = "a stale read"
)]
async fn a_clock_shows_what_it_can_tell(sys: &System) {
    write_and_read(sys, safe_grace(LEASE), None).await;
}

#[actor_test(clocks(drift = 0.01, resolution = "1ms"))]
async fn its_resolution_belongs_to_the_margin(sys: &System) {
    let told = Duration::from_millis(1) + TOO_LITTLE;
    write_and_read(sys, safe_grace(LEASE + told), None).await;
}
// ANCHOR_END: resolution
