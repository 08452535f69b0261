//! Published bugs that the samples reproduce on nodes, with `faults(..)` only: the number
//! of executions to find each, and the proof that the programs without the bugs are clean.

use std::fs;
use std::path::Path;

use actor_core::prelude::*;
use actor_test::settings::Search;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};

use crate::{berkeley_db, chain_replication, pacifica, pastry, transaction_service};

/// A bug of a sample, as in the book's table.
struct Row {
    sample: &'static str,
    mistake: &'static str,
    faults: &'static str,
    /// The possible messages of the bug.
    bugs: &'static [&'static str],
    /// True if time-outs are long, for protocols that rely on that.
    patient: bool,
    explore: fn(Tester, is_planted: bool) -> Report,
}

fn rows() -> Vec<Row> {
    vec![
        Row {
            sample: "pacifica",
            mistake: "a new primary does not wait for what it has others prepare anew",
            faults: "stop=1",
            bugs: &["monitor `Answered` is hot in `Waiting`"],
            patient: false,
            explore: |tester, is_planted| {
                let bug = is_planted.then_some(pacifica::Bug::NoRequeue);
                tester.run(move |sys| pacifica::set_up(&sys, 3, bug))
            },
        },
        Row {
            sample: "berkeley_db",
            mistake: "a replica panics where it is asked for an update and is no master any more",
            faults: "break=1",
            bugs: &["an update is requested of"],
            patient: true,
            explore: |tester, is_planted| {
                let bug = is_planted.then_some(berkeley_db::Bug::UnexpectedUpdateReq);
                tester.run(move |sys| async move { serve(&sys, bug).await })
            },
        },
        Row {
            sample: "berkeley_db",
            mistake: "who has half of an update does not stand for master",
            faults: "stop=1",
            bugs: &["always eventually \"somebody is master\" is false"],
            patient: true,
            explore: |tester, is_planted| {
                let bug = is_planted.then_some(berkeley_db::Bug::RecoveringNotElectable);
                tester.run(move |sys| async move { serve(&sys, bug).await })
            },
        },
        Row {
            sample: "pastry",
            mistake: "who has not joined drops the messages of who wants to join",
            faults: "restart=1",
            bugs: &["monitor `AllJoined` is hot in `Waiting`"],
            patient: true,
            explore: |tester, is_planted| {
                let bug = is_planted.then_some(pastry::Bug::NoBounce);
                tester.run(move |sys| {
                    pastry::set_up(&sys, bug);
                    sys.always_eventually("all know all", pastry::all_know_all);
                })
            },
        },
        Row {
            sample: "chain_replication",
            mistake: "the master mends one failure at a time, also where it awaits who has failed",
            faults: "stop=2",
            bugs: &["monitor `Wholeness` is hot"],
            patient: false,
            explore: |tester, is_planted| {
                let bug = is_planted.then_some(chain_replication::Bug::OneFailureAtATime);
                tester.run(move |sys| async move { mend(&sys, bug).await })
            },
        },
        Row {
            sample: "transaction_service",
            mistake: "an account carries out a decision as often as it is told",
            faults: "stop=1",
            bugs: &["is carried out twice", "the books balance"],
            patient: false,
            explore: |tester, is_planted| {
                let bug = is_planted.then_some(transaction_service::Bug::ApplyTwice);
                tester.run(move |sys| transfer(&sys, bug))
            },
        },
        Row {
            sample: "transaction_service",
            mistake: "the coordinator tells its decision before its backup has it",
            faults: "stop=1",
            bugs: &["is committed and aborted"],
            patient: false,
            explore: |tester, is_planted| {
                let bug = is_planted.then_some(transaction_service::Bug::DecideBeforeReplicate);
                tester.run(move |sys| transfer(&sys, bug))
            },
        },
        Row {
            sample: "transaction_service",
            mistake: "a new coordinator numbers its transactions from 1",
            faults: "stop=1",
            bugs: &["transfer ", "the books balance"],
            patient: false,
            explore: |tester, is_planted| {
                let bug = is_planted.then_some(transaction_service::Bug::TransactionIdRestart);
                tester.run(move |sys| transfer(&sys, bug))
            },
        },
        Row {
            sample: "transaction_service",
            mistake: "the coordinator does not wait until an abort has arrived",
            faults: "stop=1",
            bugs: &["monitor `Answered` is hot in `Waiting`"],
            patient: false,
            explore: |tester, is_planted| {
                let bug = is_planted.then_some(transaction_service::Bug::LockLeak);
                tester.run(move |sys| transfer(&sys, bug))
            },
        },
    ]
}

fn transfer(sys: &System, bug: Option<transaction_service::Bug>) {
    transaction_service::set_up(sys, 2, bug);
    sys.always_eventually("the books balance", transaction_service::the_books_balance);
}

async fn mend(sys: &System, bug: Option<chain_replication::Bug>) {
    let scenario = chain_replication::Scenario {
        servers: 4,
        clients: 1,
        requests: 2,
        pings: 0,
        failures: 2,
    };
    let chain = chain_replication::set_up_on_nodes(sys, scenario, bug).await;
    sys.always("nothing gets lost", move |world| {
        chain_replication::nothing_gets_lost(world, &chain.servers)
    });
}

async fn serve(sys: &System, bug: Option<berkeley_db::Bug>) {
    sys.always_eventually("somebody is master", berkeley_db::somebody_is_master);
    berkeley_db::set_up(sys, 3, bug).await;
}

/// Returns a tester with default settings, except for the faults and the bound.
fn tester(row: &Row) -> Tester {
    let faults = row.faults.parse().expect("the faults of a row");
    let tester = Tester::new().patient_timers(row.patient);
    tester.faults(faults).max_steps(1_000)
}

/// Returns the number of executions until the bug is found.
fn executions_to_find(row: &Row, seed: u64) -> u64 {
    let tester = tester(row)
        .seed(seed)
        .iterations(100_000)
        .search(Search::Portfolio);
    let report = (row.explore)(tester, true);
    let bug = report.bugs().first();
    let bug = bug.unwrap_or_else(|| panic!("{}: not found with seed {seed}", row.mistake));
    let is_it = |text: &&str| bug.message().contains(text);
    assert!(row.bugs.iter().any(is_it), "{}", bug.message());
    bug.iteration
}

fn page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/published-bugs.md");
    fs::read_to_string(page).expect("the page is there")
}

#[test]
fn each_mistake_is_found_by_faults_alone() {
    let page = page();
    for row in rows() {
        let found = executions_to_find(&row, 0);
        assert!(found <= 10_000, "{}: {found} executions", row.mistake);
        let cells = format!("| `{}` | {} | `{}` |", row.sample, row.mistake, row.faults);
        assert!(page.contains(&cells), "{cells}");
    }
}

/// Prints and checks the rows of a sample in the table of the book's page.
fn is_found_with_any_seed(sample: &str) {
    for row in rows().iter().filter(|row| row.sample == sample) {
        let mut found: Vec<u64> = (0..21).map(|seed| executions_to_find(row, seed)).collect();
        found.sort_unstable();
        let (median, worst) = (found[10], found[20]);
        println!(
            "| `{}` | {} | `{}` | {median} ({worst}) |",
            row.sample, row.mistake, row.faults
        );
        assert!(worst <= 20_000, "{}: {worst} executions", row.mistake);
    }
}

/// Checks that no strategy of the portfolio finds anything in the program without the bug.
fn is_clean_without_its_mistake(sample: &str) {
    // Rows with the same sample and faults are the same program without their bugs.
    let mut rows = rows();
    rows.retain(|row| row.sample == sample);
    rows.dedup_by_key(|row| row.faults);
    for row in &rows {
        for strategy in StrategySpec::portfolio() {
            let tester = tester(row).iterations(100_000).strategy(strategy.clone());
            (row.explore)(tester, false).assert_clean();
            println!("{} {}: clean under {strategy}", row.sample, row.faults);
        }
    }
}

#[test]
#[ignore = "takes minutes: for .ci/long"]
fn pacifica() {
    is_found_with_any_seed("pacifica");
    is_clean_without_its_mistake("pacifica");
}

#[test]
#[ignore = "takes minutes: for .ci/long"]
fn berkeley_db() {
    is_found_with_any_seed("berkeley_db");
    is_clean_without_its_mistake("berkeley_db");
}

#[test]
#[ignore = "takes minutes: for .ci/long"]
fn pastry() {
    is_found_with_any_seed("pastry");
    is_clean_without_its_mistake("pastry");
}

#[test]
#[ignore = "takes minutes: for .ci/long"]
fn chain_replication() {
    is_found_with_any_seed("chain_replication");
    is_clean_without_its_mistake("chain_replication");
}

#[test]
#[ignore = "takes minutes: for .ci/long"]
fn transaction_service() {
    is_found_with_any_seed("transaction_service");
    is_clean_without_its_mistake("transaction_service");
}
