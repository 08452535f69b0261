//! Each mistake is found, and each repair is clean.

use actor_core::prelude::*;
use actor_test::actor_test;

use super::append_without_sync::Lines;
use super::count_before_record::Counted;
use super::crashes;
use super::no_checksum::Framed;
use super::rename_without_sync::Replaced;

/// Writes are kept as wholes.
const WHOLE: u32 = 0;
/// Or in blocks of that many bytes.
const TORN: u32 = 4;

// ANCHOR: tests
#[actor_test(expect_bug = "are safe")]
async fn append_without_sync(sys: &System) {
    crashes::<Lines<false>>(sys, WHOLE).await;
}

#[actor_test]
async fn append_with_sync(sys: &System) {
    crashes::<Lines<true>>(sys, WHOLE).await;
}
// ANCHOR_END: tests

#[actor_test(expect_bug = "are safe")]
async fn rename_without_sync_of_the_directory(sys: &System) {
    crashes::<Replaced<false>>(sys, TORN).await;
}

#[actor_test]
async fn rename_with_sync_of_the_directory(sys: &System) {
    crashes::<Replaced<true>>(sys, TORN).await;
}

#[actor_test(expect_bug = "are safe")]
async fn header_before_the_record(sys: &System) {
    crashes::<Counted<false>>(sys, TORN).await;
}

#[actor_test]
async fn record_before_the_header(sys: &System) {
    crashes::<Counted<true>>(sys, TORN).await;
}

#[actor_test(expect_bug = "are safe")]
async fn records_without_a_checksum(sys: &System) {
    crashes::<Framed<false>>(sys, TORN).await;
}

#[actor_test]
async fn records_with_a_checksum(sys: &System) {
    crashes::<Framed<true>>(sys, TORN).await;
}
