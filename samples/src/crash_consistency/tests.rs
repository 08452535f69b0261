//! Tests: each storage bug is found, and each fix is clean.

use std::fs;
use std::path::Path;

use actor_core::prelude::*;
use actor_test::settings::Search;
use actor_test::{Report, Tester, actor_test};

use super::append_without_sync::Lines;
use super::count_before_record::Counted;
use super::no_checksum::Framed;
use super::rename_without_sync::Replaced;
use super::{Storage, crashes};

/// Writes are atomic.
const WHOLE: u32 = 0;
/// Writes are torn into blocks of this number of bytes.
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

/// A storage bug and its fix.
struct Row {
    /// The name of the bug in the book's table.
    mistake: &'static str,
    block: u32,
    planted: fn(Tester, u32) -> Report,
    repaired: fn(Tester, u32) -> Report,
}

fn explore<S: Storage>(tester: Tester, block: u32) -> Report {
    tester.run(move |sys| async move { crashes::<S>(&sys, block).await })
}

fn rows() -> [Row; 4] {
    [
        Row {
            mistake: "append without sync",
            block: WHOLE,
            planted: explore::<Lines<false>>,
            repaired: explore::<Lines<true>>,
        },
        Row {
            mistake: "rename without a sync of the directory",
            block: TORN,
            planted: explore::<Replaced<false>>,
            repaired: explore::<Replaced<true>>,
        },
        Row {
            mistake: "the header, which counts, written before the record",
            block: TORN,
            planted: explore::<Counted<false>>,
            repaired: explore::<Counted<true>>,
        },
        Row {
            mistake: "a checksum left out",
            block: TORN,
            planted: explore::<Framed<false>>,
            repaired: explore::<Framed<true>>,
        },
    ]
}

/// Returns the number of executions until the bug is found: median and maximum of 21 seeds.
fn executions_to_find(row: &Row) -> (u64, u64) {
    let mut found: Vec<u64> = (0..21)
        .map(|seed| {
            let tester = Tester::new()
                .seed(seed)
                .iterations(10_000)
                .search(Search::Portfolio);
            let report = (row.planted)(tester, row.block);
            let bug = report.bugs().first();
            let bug = bug.unwrap_or_else(|| panic!("{}: not found with seed {seed}", row.mistake));
            assert!(bug.message().contains("are safe"), "{}", bug.message());
            bug.iteration
        })
        .collect();
    // A run in continuous integration has few executions.
    assert!(
        found[0] <= 100,
        "{}: {} executions with seed 0",
        row.mistake,
        found[0]
    );
    found.sort_unstable();
    (found[10], found[20])
}

/// Checks the table on the book's page on disks.
#[test]
fn each_mistake_is_found_with_any_seed_and_each_repair_is_clean() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/disks.md");
    let page = fs::read_to_string(page).expect("the page is there");
    for row in rows() {
        let (median, worst) = executions_to_find(&row);
        println!("| {} | {median} ({worst}) |", row.mistake);
        assert!(
            page.contains(&format!("| {} |", row.mistake)),
            "{}",
            row.mistake
        );
        assert!(worst <= 1_000, "{}: {worst} executions", row.mistake);
        let tester = Tester::new().iterations(300).search(Search::Portfolio);
        (row.repaired)(tester, row.block).assert_clean();
    }
}

#[test]
#[ignore = "takes minutes: for .ci/long"]
fn each_repair_is_clean_in_many_executions() {
    for row in rows() {
        let tester = Tester::new().iterations(100_000).search(Search::Portfolio);
        (row.repaired)(tester, row.block).assert_clean();
    }
}
