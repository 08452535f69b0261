//! The programs, each the same for each checker.

/// A program at one size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Program {
    /// A number of senders, each of which sends a number of messages to one receiver.
    FanIn(u32, u32),
    /// A number of clients, each of which calls a server a number of times, one call after another.
    Calls(u32, u32),
    /// Two-phase commit: a number of participants, each of which votes as it likes.
    TwoPhase(u32),
    /// Single-decree Paxos: a number of proposers with a ballot each, and a number of acceptors.
    Paxos(u32, u32),
    /// A number of clients, each of which acquires and releases a lock once.
    Lock(u32),
    /// A number of philosophers who eat once, with as many forks; the last one takes its right fork first.
    Philosophers(u32),
    /// The election of Chang and Roberts: a ring of nodes, each of which starts.
    Ring(u32),
}

impl Program {
    /// Returns the program of this name and these sizes, such as `calls-3x50`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (kind, sizes) = name.rsplit_once('-')?;
        let sizes: Vec<u32> = sizes
            .split('x')
            .map(|size| size.parse().ok())
            .collect::<Option<_>>()?;
        Some(match (kind, sizes[..].as_ref()) {
            ("fan-in", &[senders, messages]) => Self::FanIn(senders, messages),
            ("calls", &[clients, calls]) => Self::Calls(clients, calls),
            ("two-phase", &[participants]) => Self::TwoPhase(participants),
            ("paxos", &[proposers, acceptors]) => Self::Paxos(proposers, acceptors),
            ("lock", &[clients]) => Self::Lock(clients),
            ("philosophers", &[philosophers]) => Self::Philosophers(philosophers),
            ("ring", &[nodes]) => Self::Ring(nodes),
            _ => return None,
        })
    }
}
