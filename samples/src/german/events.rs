//! The messages between CPUs, caches and the home.

use actor_core::prelude::*;

use super::{Cache, Cpu};

/// A CPU reads the cell.
#[derive(Debug, Hash)]
pub struct Read {
    /// The CPU.
    pub from: ActorRef<Cpu>,
}

/// A CPU adds one to the cell.
#[derive(Debug, Hash)]
pub struct Write {
    /// The CPU.
    pub from: ActorRef<Cpu>,
}

/// Answers [`Read`] or [`Write`].
#[derive(Debug, Hash)]
pub enum Completed {
    /// The CPU has read this value.
    Read(u64),
    /// The CPU has written this value.
    Written(u64),
}

/// Asks the home for a shared copy, to read.
#[derive(Debug, Hash)]
pub struct ReqShared {
    /// The cache that asks.
    pub from: ActorRef<Cache>,
}

/// Asks the home for the exclusive copy, to write.
#[derive(Debug, Hash)]
pub struct ReqExclusive {
    /// The cache that asks.
    pub from: ActorRef<Cache>,
}

/// Grants a shared copy to a cache.
#[derive(Debug, Hash)]
pub struct GrantShared {
    /// The value of the cell.
    pub value: u64,
}

/// Grants the exclusive copy to a cache.
#[derive(Debug, Hash)]
pub struct GrantExclusive {
    /// The value of the cell.
    pub value: u64,
}

/// Demands that a cache gives up its copy.
#[derive(Debug, Hash)]
pub struct Invalidate;

/// The cache has given up its copy.
#[derive(Debug, Hash)]
pub struct InvAck {
    /// The cache that gave up its copy.
    pub from: ActorRef<Cache>,
    /// The value, if the cache had the exclusive copy.
    pub written_back: Option<u64>,
}

/// Asks a CPU for the number of its writes; answered when all its work is done.
#[derive(Debug, Hash)]
pub struct HowManyWrites;
