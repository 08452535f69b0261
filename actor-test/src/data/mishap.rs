//! What can go wrong between nodes, as plain data.

use std::any::TypeId;

pub(crate) use actor_core::runtime::{Disk, Wish};

/// Something that goes wrong, or is set right. Nodes are numbers, in the order of their declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Mishap {
    /// All that runs on a node ends at once.
    Crash { node: u32 },
    /// A node boots; one that is up crashes first.
    Restart { node: u32, disk: Disk },
    /// Links are cut, all in one step: from one node to another, each.
    Cut(Vec<(u32, u32)>),
    /// Links are healed.
    Heal(Vec<(u32, u32)>),
    /// All links are healed.
    HealAll,
    /// What is on the links between two nodes is lost, and both sides hear of it.
    Break { one: u32, other: u32 },
    /// A link delivers nothing for now.
    Hold { from: u32, to: u32 },
    /// It goes on.
    Release { from: u32, to: u32 },
    /// Something becomes of the message at that place on a link, counted from its front.
    At {
        wish: Wish,
        from: u32,
        to: u32,
        place: usize,
    },
    /// Something becomes of the next event of that type on a link.
    Next {
        wish: Wish,
        from: u32,
        to: u32,
        event: TypeId,
    },
    /// The clock of a node jumps ahead, by nanoseconds.
    SetAhead { node: u32, by_ns: u64 },
    /// What a node takes for the date is set back.
    SetBack { node: u32, by_ns: u64 },
    /// Nothing fails on a node by choice.
    Spare { node: u32 },
    /// Nothing fails between two nodes by choice.
    SpareLink { one: u32, other: u32 },
}

impl Mishap {
    /// What it is called, in records.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Crash { .. } => "crash",
            Self::Restart {
                disk: Disk::Keep, ..
            } => "restart",
            Self::Restart {
                disk: Disk::Wipe, ..
            } => "restart_without_disk",
            Self::Cut(_) => "cut",
            Self::Heal(_) | Self::HealAll => "heal",
            Self::Break { .. } => "break",
            Self::Hold { .. } => "hold",
            Self::Release { .. } => "release",
            Self::At { wish, .. } | Self::Next { wish, .. } => match wish {
                Wish::Drop => "drop",
                Wish::Duplicate => "duplicate",
                Wish::Delay => "delay",
            },
            Self::SetAhead { .. } => "set_ahead",
            Self::SetBack { .. } => "set_back",
            Self::Spare { .. } | Self::SpareLink { .. } => "spare",
        }
    }

    /// The links that it concerns, from one node to another.
    pub(crate) fn links(&self) -> Vec<(u32, u32)> {
        match self {
            Self::Cut(links) | Self::Heal(links) => links.clone(),
            Self::Break { one, other } | Self::SpareLink { one, other } => {
                vec![(*one, *other), (*other, *one)]
            }
            Self::Hold { from, to }
            | Self::Release { from, to }
            | Self::At { from, to, .. }
            | Self::Next { from, to, .. } => vec![(*from, *to)],
            Self::Crash { .. }
            | Self::Restart { .. }
            | Self::SetAhead { .. }
            | Self::SetBack { .. }
            | Self::Spare { .. }
            | Self::HealAll => Vec::new(),
        }
    }

    /// By how much a clock jumps, in nanoseconds.
    pub(crate) fn by_ns(&self) -> Option<u64> {
        match self {
            Self::SetAhead { by_ns, .. } | Self::SetBack { by_ns, .. } => Some(*by_ns),
            _ => None,
        }
    }

    /// The node that it concerns.
    pub(crate) fn node(&self) -> Option<u32> {
        match self {
            Self::Crash { node }
            | Self::Restart { node, .. }
            | Self::SetAhead { node, .. }
            | Self::SetBack { node, .. }
            | Self::Spare { node } => Some(*node),
            _ => None,
        }
    }
}
