//! Tests: the protocol is correct under all faults at once, and each bug is found.

use std::fs;
use std::path::Path;

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester, actor_test};

use super::*;

const IN_MEMORY: Group = Group {
    journal: false,
    clients: 2,
    deposits: 1,
};

const ON_DISK: Group = Group {
    journal: true,
    ..IN_MEMORY
};

// ANCHOR: twins
#[actor_test(
    max_steps = 2000,
    faults(
        drop = 2,
        duplicate = 2,
        delay = 2,
        partition = 1,
        break = 1,
        crash = 1,
        restart = 1,
        wipe = 1
    )
)]
fn replicas_that_recover_from_each_other(sys: &System) {
    set_up(sys, IN_MEMORY, None);
}

#[actor_test(
    max_steps = 2000,
    faults(
        drop = 2,
        duplicate = 2,
        delay = 2,
        partition = 1,
        break = 1,
        crash = 1,
        restart = 1,
        wipe = 1
    )
)]
fn replicas_that_recover_from_their_disks(sys: &System) {
    set_up(sys, ON_DISK, None);
}

#[actor_test(max_steps = 2000, faults(wipe = 1), expect_bug = "monitor `Promises`")]
fn a_vote_without_a_memory(sys: &System) {
    set_up(sys, IN_MEMORY, Some(Bug::RecoveringVotes));
}
// ANCHOR_END: twins

#[actor_test(max_steps = 2000, expect_bug = "monitor `Agreement`")]
fn a_commit_number_that_goes_back(sys: &System) {
    set_up(sys, IN_MEMORY, Some(Bug::CommitNumberGoesBack));
}

#[actor_test(max_steps = 2000, faults(drop = 1), expect_bug = "monitor `Promises`")]
fn a_state_that_comes_too_late(sys: &System) {
    set_up(sys, IN_MEMORY, Some(Bug::TransferAtAnyTime));
}

#[actor_test(
    max_steps = 2000,
    faults(restart = 1),
    iterations = 2000,
    expect_bug = "has left view"
)]
fn a_view_that_is_forgotten(sys: &System) {
    set_up(sys, ON_DISK, Some(Bug::ViewNotWritten));
}

/// A bug, and the faults and limits to find it.
struct Row {
    bug: Bug,
    /// The name of the bug in the book's table.
    mistake: &'static str,
    group: Group,
    faults: &'static str,
}

const ROWS: [Row; 11] = [
    Row {
        bug: Bug::CommitNumberGoesBack,
        mistake: "a backup takes over a lower commit number",
        group: IN_MEMORY,
        faults: "none",
    },
    Row {
        bug: Bug::RecoveringVotes,
        mistake: "a replica that recovers takes part in a view change",
        group: IN_MEMORY,
        faults: "wipe=1",
    },
    Row {
        bug: Bug::TransferAtAnyTime,
        mistake: "transferred state is taken whenever it comes",
        group: IN_MEMORY,
        faults: "drop=1",
    },
    Row {
        bug: Bug::ViewNotWritten,
        mistake: "a view is left before that is on the disk",
        group: ON_DISK,
        faults: "restart=1",
    },
    Row {
        bug: Bug::PreparedNotSynced,
        mistake: "a command is acknowledged before it is on the disk",
        group: ON_DISK,
        faults: "restart=1",
    },
    Row {
        bug: Bug::TableAtPrepare,
        mistake: "the client table is written before the commit",
        group: IN_MEMORY,
        faults: "drop=1",
    },
    Row {
        bug: Bug::TruncatedAtTransfer,
        mistake: "a replica truncates its log before it asks for state",
        group: ON_DISK,
        faults: "crash=1",
    },
    Row {
        bug: Bug::LongestLog,
        mistake: "a view begins with the longest log",
        group: IN_MEMORY,
        faults: "drop=1",
    },
    Row {
        bug: Bug::LateStartView,
        mistake: "the beginning of a view is heard of twice",
        group: IN_MEMORY,
        faults: "duplicate=1,delay=1",
    },
    Row {
        bug: Bug::EagerView,
        mistake: "a replica is in a later view before it has its log",
        group: ON_DISK,
        faults: "crash=1",
    },
    Row {
        bug: Bug::AnyPrimary,
        mistake: "a replica recovers from an old primary",
        group: IN_MEMORY,
        faults: "wipe=1,partition=1",
    },
];

fn tester(faults: &str) -> Tester {
    let faults = faults.parse().expect("known faults");
    Tester::new().max_steps(2_000).faults(faults)
}

fn explore(tester: &Tester, group: Group, bug: Option<Bug>) -> Report {
    tester.run(move |sys| set_up(&sys, group, bug))
}

/// Checks the table of the book's page: the number of executions until each bug is found,
/// median and maximum of 21 seeds, with the portfolio and the budget of `cargo actor-test`. If
/// some seeds do not find a bug within the budget, the table has the number of those that do.
#[test]
#[ignore = "takes minutes: for .ci/long"]
fn each_mistake_is_found_within_the_budget() {
    const SEEDS: u64 = 21;
    for row in ROWS {
        let explore = |seed| {
            let faults = row.faults.parse().expect("known faults");
            let tester = Tester::new()
                .seed(seed)
                .iterations(u64::MAX)
                .step_budget(20_000_000)
                .max_steps(2_000)
                .faults(faults);
            let report = explore(&tester, row.group, Some(row.bug));
            report.bugs().first().map(|bug| bug.iteration)
        };
        let mut found: Vec<u64> = (0..SEEDS).filter_map(explore).collect();
        found.sort_unstable();
        // Seeds that have not found the bug come last.
        let median = found.get(SEEDS as usize / 2);
        let median = median.map_or("none".to_owned(), u64::to_string);
        match found.get(SEEDS as usize - 1) {
            Some(worst) => println!("| {} | {median} ({worst}) |", row.mistake),
            None => println!("| {} | {median} (by {} of 21) |", row.mistake, found.len()),
        }
        assert!(!found.is_empty(), "{:?}: not found with any seed", row.bug);
    }
}

#[test]
fn the_book_has_each_mistake() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/replication.md");
    let page = fs::read_to_string(page).expect("the page is there");
    for row in ROWS {
        let faults = match row.faults {
            "none" => "none".to_owned(),
            faults => format!("`{}`", faults.replace(',', ", ")),
        };
        let begin = format!("| {} | {faults} |", row.mistake);
        assert!(page.contains(&begin), "{begin}");
    }
}

#[test]
#[ignore = "takes hours: for .ci/long"]
fn the_protocol_is_clean_in_many_executions() {
    let faults = "drop=2,duplicate=2,delay=2,partition=1,break=1,crash=1,restart=1,wipe=1";
    for strategy in StrategySpec::portfolio() {
        for group in [IN_MEMORY, ON_DISK] {
            let tester = tester(faults).strategy(strategy.clone());
            explore(&tester.iterations(100_000), group, None).assert_clean();
            println!("{strategy}, {group:?}: clean");
        }
    }
}
