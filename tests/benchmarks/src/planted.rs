//! Bugs planted in the samples, each at a size at which an exhaustive search is possible.

use std::time::Duration;

use actor_core::prelude::*;
use samples::{german, multi_paxos, paxos, ping_pong, two_phase_commit};

/// A program at one size, with one of its bugs or without.
pub struct Row {
    /// The name of the program.
    pub name: &'static str,
    /// The size of the program.
    pub size: &'static str,
    /// A part of the bug's message.
    pub bug: Option<&'static str>,
    /// True for patient timers, which fire only after all messages. Without them a
    /// participant in doubt asks again and again, and the unread questions have no bound.
    pub is_patient: bool,
    /// The set-up of the program.
    pub set_up: fn(&System),
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
        is_patient: false,
        set_up,
    }
}

/// Returns the same program with patient timers.
const fn patient(row: Row) -> Row {
    Row {
        is_patient: true,
        ..row
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

/// The programs with bugs, and then those without.
pub const ROWS: [Row; 22] = [
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
    patient(row(
        "two_phase_commit",
        "2 participants, 2 writes, patient timers",
        None,
        |sys| {
            two_phase_commit::set_up(sys, writes(2, 2, false), None);
        },
    )),
    patient(row(
        "two_phase_commit",
        "3 participants, 1 write, patient timers",
        None,
        |sys| {
            two_phase_commit::set_up(sys, writes(3, 1, false), None);
        },
    )),
    patient(row(
        "two_phase_commit",
        "1 participant, 1 write, a crash, patient timers",
        None,
        |sys| {
            two_phase_commit::set_up(sys, writes(1, 1, true), None);
        },
    )),
    row("ping_pong", "2 clients, 2 rounds", None, |sys| {
        ping_pong::set_up(sys, 2, 2, None);
    }),
];
