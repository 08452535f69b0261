//! Faults between nodes, injected by the tester or a test's script, as plain data.

use std::any::TypeId;

pub(crate) use actor_core::seam::{DiskAfterRestart, MessageFault};

/// A fault on nodes or links, or its repair. Nodes are numbered in the order of their declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NodeFault {
    /// Ends all that runs on a node at once.
    Crash {
        node: u32,
    },
    /// Boots a node; one that is up crashes first.
    Restart {
        node: u32,
        disk: DiskAfterRestart,
    },
    /// Stops all operations and timers of a node for now.
    Pause {
        node: u32,
    },
    /// Lets the operations and timers of a node go on.
    Resume {
        node: u32,
    },
    /// Cuts links, all in one step; each pair is a link from one node to another.
    Cut(Vec<(u32, u32)>),
    Heal(Vec<(u32, u32)>),
    HealAll,
    /// Loses all messages on the links between two nodes, and notifies both nodes.
    Break {
        one: u32,
        other: u32,
    },
    /// Breaks a connection for one node alone; the other one does not notice yet.
    HalfOpen {
        sees: u32,
        unaware: u32,
    },
    /// Lets a node notice that its connection to another one is broken.
    Notice {
        node: u32,
        of: u32,
    },
    /// Stops the deliveries of a link for now.
    Hold {
        from: u32,
        to: u32,
    },
    /// Resumes the deliveries of a link.
    Release {
        from: u32,
        to: u32,
    },
    /// Fills a link, which takes no more events.
    Fill {
        from: u32,
        to: u32,
    },
    /// Lets a full link take events again.
    Drain {
        from: u32,
        to: u32,
    },
    /// Drops, duplicates or delays the message at that position of a link, counted from its front.
    At {
        wish: MessageFault,
        from: u32,
        to: u32,
        place: usize,
    },
    /// Drops, duplicates or delays the next event of that type on a link.
    Next {
        wish: MessageFault,
        from: u32,
        to: u32,
        event: TypeId,
    },
    /// Has the clock of a node jump ahead, by nanoseconds.
    SetAhead {
        node: u32,
        by_ns: u64,
    },
    /// Sets the date of a node back, by nanoseconds.
    SetBack {
        node: u32,
        by_ns: u64,
    },
    /// Exempts a node from the faults that the tester chooses.
    Spare {
        node: u32,
    },
    /// Exempts the links between two nodes from the faults that the tester chooses.
    SpareLink {
        one: u32,
        other: u32,
    },
}

impl NodeFault {
    /// Returns the name of the fault in records.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Crash { .. } => "crash",
            Self::Restart {
                disk: DiskAfterRestart::Keep,
                ..
            } => "restart",
            Self::Restart {
                disk: DiskAfterRestart::Wipe,
                ..
            } => "restart_without_disk",
            Self::Pause { .. } => "pause",
            Self::Resume { .. } => "resume",
            Self::Cut(_) => "cut",
            Self::Heal(_) | Self::HealAll => "heal",
            Self::Break { .. } => "break",
            Self::HalfOpen { .. } => "half_open",
            Self::Notice { .. } => "notice",
            Self::Hold { .. } => "hold",
            Self::Release { .. } => "release",
            Self::Fill { .. } => "fill",
            Self::Drain { .. } => "drain",
            Self::At { wish, .. } | Self::Next { wish, .. } => match wish {
                MessageFault::Drop => "drop",
                MessageFault::Duplicate => "duplicate",
                MessageFault::Delay => "delay",
            },
            Self::SetAhead { .. } => "set_ahead",
            Self::SetBack { .. } => "set_back",
            Self::Spare { .. } | Self::SpareLink { .. } => "spare",
        }
    }

    /// Returns the links concerned, each from one node to another.
    pub(crate) fn links(&self) -> Vec<(u32, u32)> {
        match self {
            Self::Cut(links) | Self::Heal(links) => links.clone(),
            Self::Break { one, other } | Self::SpareLink { one, other } => {
                vec![(*one, *other), (*other, *one)]
            }
            Self::HalfOpen { sees, unaware } => vec![(*sees, *unaware)],
            Self::Notice { node, of } => vec![(*node, *of)],
            Self::Hold { from, to }
            | Self::Release { from, to }
            | Self::Fill { from, to }
            | Self::Drain { from, to }
            | Self::At { from, to, .. }
            | Self::Next { from, to, .. } => vec![(*from, *to)],
            Self::Crash { .. }
            | Self::Restart { .. }
            | Self::Pause { .. }
            | Self::Resume { .. }
            | Self::SetAhead { .. }
            | Self::SetBack { .. }
            | Self::Spare { .. }
            | Self::HealAll => Vec::new(),
        }
    }

    /// Returns how far a clock jumps, in nanoseconds.
    pub(crate) fn by_ns(&self) -> Option<u64> {
        match self {
            Self::SetAhead { by_ns, .. } | Self::SetBack { by_ns, .. } => Some(*by_ns),
            _ => None,
        }
    }

    /// Returns the node concerned.
    pub(crate) fn node(&self) -> Option<u32> {
        match self {
            Self::Crash { node }
            | Self::Restart { node, .. }
            | Self::Pause { node }
            | Self::Resume { node }
            | Self::SetAhead { node, .. }
            | Self::SetBack { node, .. }
            | Self::Spare { node } => Some(*node),
            _ => None,
        }
    }
}
