//! Prints, for planted bugs of the samples, how many steps the shortest execution takes that shows each,
//! and how many minimising leaves of one that the portfolio finds: the median of five seeds, the most, and
//! how many times the shortest that is; and for programs without a mistake, how many states they have, all
//! of them visited.
//!
//! `cargo run --release -p benchmarks --bin shortest [-- STATES [NAME]…]`: at most so many states for
//! each, and those rows alone whose names contain one of these.

use std::time::Duration;

use actor_core::prelude::*;
use actor_test::{Report, Settings, Tester};
use cpu_time::ProcessTime;
use samples::{german, multi_paxos, paxos, ping_pong, two_phase_commit};

/// A program at a size, with one of its mistakes or without.
struct Row {
    name: &'static str,
    size: &'static str,
    /// What is said of the mistake.
    bug: Option<&'static str>,
    set_up: fn(&System),
}

const fn row(
    name: &'static str,
    size: &'static str,
    bug: Option<&'static str>,
    set_up: fn(&System),
) -> Row {
    Row {
        name,
        size,
        bug,
        set_up,
    }
}

const fn duel(acceptors: usize) -> paxos::Group {
    paxos::Group {
        proposers: 2,
        acceptors,
        ballots: Some(1),
        copies: 0,
    }
}

const fn writes(participants: usize, writes: u64, crash: bool) -> two_phase_commit::Scenario {
    two_phase_commit::Scenario {
        participants,
        clients: 1,
        writes,
        crash,
    }
}

const fn rivals(clients: usize, commands: u32) -> multi_paxos::Group {
    multi_paxos::Group {
        nodes: 3,
        clients,
        commands,
        patience: Duration::from_millis(100),
        retries: 0,
        lossy: false,
    }
}

const ROWS: [Row; 19] = [
    row(
        "german: ClearOnSend",
        "2 caches, 1 operation",
        Some("incoherent"),
        |sys| {
            german::set_up(sys, 2, 1, Some(german::Bug::ClearOnSend));
        },
    ),
    row(
        "german: CountAcks",
        "2 caches, 2 operations",
        Some("incoherent"),
        |sys| {
            german::set_up(sys, 2, 2, Some(german::Bug::CountAcks));
        },
    ),
    row(
        "german: OneWaitingState",
        "2 caches, 2 operations",
        Some("`Invalidate`"),
        |sys| {
            german::set_up(sys, 2, 2, Some(german::Bug::OneWaitingState));
        },
    ),
    row(
        "german: DropRequests",
        "2 caches, 2 operations",
        Some("`Service`"),
        |sys| {
            german::set_up(sys, 2, 2, Some(german::Bug::DropRequests));
        },
    ),
    row(
        "paxos: NoPromiseCheck",
        "2 proposers, 3 acceptors",
        Some("are decided"),
        |sys| {
            paxos::set_up(sys, duel(3), Some(paxos::Bug::NoPromiseCheck));
        },
    ),
    row(
        "paxos: OwnValue",
        "2 proposers, 3 acceptors",
        Some("are decided"),
        |sys| {
            paxos::set_up(sys, duel(3), Some(paxos::Bug::OwnValue));
        },
    ),
    row(
        "paxos: SameBallot",
        "2 proposers, 3 acceptors",
        Some("are decided"),
        |sys| {
            paxos::set_up(sys, duel(3), Some(paxos::Bug::SameBallot));
        },
    ),
    row(
        "paxos: HalfQuorum",
        "2 proposers, 3 acceptors",
        Some("are decided"),
        |sys| {
            paxos::set_up(sys, duel(3), Some(paxos::Bug::HalfQuorum));
        },
    ),
    row(
        "two_phase_commit: StaleVote",
        "2 participants, 2 writes",
        Some("commits without"),
        |sys| {
            let bug = Some(two_phase_commit::Bug::StaleVote);
            two_phase_commit::set_up(sys, writes(2, 2, false), bug);
        },
    ),
    row(
        "two_phase_commit: TimerRace",
        "2 participants, 1 write",
        Some("neither handles"),
        |sys| {
            let bug = Some(two_phase_commit::Bug::TimerRace);
            two_phase_commit::set_up(sys, writes(2, 1, false), bug);
        },
    ),
    row(
        "two_phase_commit: UnilateralAbort",
        "2 participants, 1 write",
        Some("aborted for others"),
        |sys| {
            let bug = Some(two_phase_commit::Bug::UnilateralAbort);
            two_phase_commit::set_up(sys, writes(2, 1, false), bug);
        },
    ),
    row(
        "two_phase_commit: DecideUnlogged",
        "1 participant, 1 write, a crash",
        Some("aborted for others"),
        |sys| {
            let bug = Some(two_phase_commit::Bug::DecideUnlogged);
            two_phase_commit::set_up(sys, writes(1, 1, true), bug);
        },
    ),
    row(
        "multi_paxos: SlotReuse",
        "2 clients, 1 command",
        Some("are chosen for slot"),
        |sys| {
            multi_paxos::set_up(sys, rivals(2, 1), Some(multi_paxos::Bug::SlotReuse));
        },
    ),
    row(
        "multi_paxos: PromisePerSlot",
        "2 clients, 2 commands",
        Some("are chosen for slot"),
        |sys| {
            multi_paxos::set_up(sys, rivals(2, 2), Some(multi_paxos::Bug::PromisePerSlot));
        },
    ),
    row(
        "ping_pong: OneAsker",
        "2 clients, 1 round",
        Some("`Answered` is hot"),
        |sys| {
            ping_pong::set_up(sys, 2, 1, Some(ping_pong::Bug::OneAsker));
        },
    ),
    row("german", "2 caches, 2 operations", None, |sys| {
        german::set_up(sys, 2, 2, None);
    }),
    row("german", "3 caches, 1 operation", None, |sys| {
        german::set_up(sys, 3, 1, None);
    }),
    row("paxos", "2 proposers, 2 acceptors", None, |sys| {
        paxos::set_up(sys, duel(2), None);
    }),
    row("ping_pong", "2 clients, 2 rounds", None, |sys| {
        ping_pong::set_up(sys, 2, 2, None);
    }),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let states = arguments.next();
    let states = states.map_or(3_000_000, |states| states.parse().expect("a number"));
    let names: Vec<String> = arguments.collect();
    let is_wanted =
        |row: &&Row| names.is_empty() || names.iter().any(|name| row.name.contains(name.as_str()));
    println!(
        "| program | size | steps to the bug | minimised | at most | times | states | executions | s |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for row in ROWS.iter().filter(is_wanted) {
        print(row, states);
    }
}

fn print(row: &Row, states_max: u64) {
    let mut settings = Settings::default();
    settings.iterations = u64::MAX;
    settings.check_every = 0;
    let strategy = format!("bfs:{states_max}").parse().expect("a strategy");
    let begun = ProcessTime::now();
    let tester = Tester::with(settings).strategy(strategy);
    let report = tester.run(|sys| (row.set_up)(sys));
    let took = begun.elapsed().as_secs_f64();
    let states = report.verdict.states().unwrap_or_default();
    let found = found(row, &report);
    let Row { name, size, .. } = row;
    let executions = report.executions;
    let left = left(row);
    let (median, most) = (left.get(left.len() / 2), left.last());
    let said = |steps: Option<&u64>| steps.map_or_else(String::new, u64::to_string);
    let shortest: Option<f64> = found.parse().ok();
    let times = most
        .zip(shortest)
        .map(|(most, shortest)| format!("{:.2}", *most as f64 / shortest));
    println!(
        "| {name} | {size} | {found} | {} | {} | {} | {states} | {executions} | {took:.2} |",
        said(median),
        said(most),
        times.unwrap_or_default(),
    );
}

/// To how many steps minimising brings the bug that the portfolio finds, for each of five seeds, in their
/// order.
fn left(row: &Row) -> Vec<u64> {
    let Some(text) = row.bug else {
        return Vec::new();
    };
    let left = (0..5).filter_map(|seed| {
        let tester = Tester::new().iterations(3_000).seed(seed);
        let report = tester.minimize(20_000_000).run(|sys| (row.set_up)(sys));
        let bug = report
            .bugs()
            .first()
            .filter(|bug| bug.message().contains(text));
        bug.map(actor_test::Bug::step)
    });
    let mut left: Vec<u64> = left.collect();
    left.sort_unstable();
    left
}

/// The length of the shortest execution that shows the bug; or what is known of a program without.
fn found(row: &Row, report: &Report) -> String {
    match (report.bugs().first(), row.bug) {
        (Some(bug), Some(text)) if bug.message().contains(text) => bug.step().to_string(),
        (Some(bug), _) => format!("another one: {}", bug.message()),
        (None, _) if report.verdict.is_exhaustive() => "none".into(),
        (None, _) => "none so far".into(),
    }
}
