//! Specimens with parameters.

use actor_core::prelude::*;
use actor_test::actor_test;
use specimens::{Add, race};

/// Fails if three is added to one before the sum is doubled.
fn never_eight(sys: &System, first: u32) {
    let cell = race(sys);
    if first > 0 {
        cell.tell(Add(first));
    }
    sys.always("never eight", move |w| {
        w.get(&cell).is_none_or(|cell| cell.value != 8)
    });
}

/// Every second combination has the bug.
#[actor_test(name in ["it's", "a b"], first in 0..2, iterations = 60)]
fn fails(sys: &System, first: u32, name: &'static str) {
    assert!(!name.is_empty());
    never_eight(sys, first);
}

#[actor_test(first in 0..2, expect_bug = "never eight")]
fn expected(sys: &System, first: u32) {
    never_eight(sys, first);
}

#[actor_test(first in [0, 6, 7], expect_bug = "never eight", iterations = 5)]
fn in_vain(sys: &System, first: u32) {
    never_eight(sys, first);
}

#[actor_test(a in 0..3, b in 0..3, c in 0..3, d in 0..3, pairwise, iterations = 1)]
fn in_pairs(sys: &System, a: u32, b: u32, c: u32, d: u32) {
    never_eight(sys, 9 * (a + b + c + d + 1));
}

#[actor_test(deed in ["none", "abort"], iterations = 2)]
async fn aborts(sys: &System, deed: &str) {
    race(sys);
    if deed == "abort" {
        std::process::abort();
    }
}

#[actor_test(n in std::iter::empty(), iterations = 2)]
fn x_without_values(sys: &System, n: u32) {
    never_eight(sys, n);
}

#[actor_test(n in 0..200, m in 0..=50)]
fn x_with_too_many(sys: &System, n: u32, m: u32) {
    never_eight(sys, n + m);
}

#[actor_test(n in 0..)]
fn x_without_an_end(sys: &System, n: u32) {
    never_eight(sys, n);
}

#[actor_test(n in [1, 2, 1])]
fn x_with_one_twice(sys: &System, n: u32) {
    never_eight(sys, n);
}

#[actor_test(n in unlucky())]
fn x_without_luck(sys: &System, n: u32) {
    never_eight(sys, n);
}

#[actor_test(n in [1, 1])]
#[ignore]
fn x_ignored(sys: &System, n: u32) {
    never_eight(sys, n);
}

fn unlucky() -> [u32; 1] {
    panic!("no values today");
}
