//! What CPUs, caches and the home say to each other.

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

/// A CPU has its answer.
#[derive(Debug, Hash)]
pub enum Completed {
    /// It has read this value.
    Read(u64),
    /// It has written this value.
    Written(u64),
}

/// Asks the home for a copy to read.
#[derive(Debug, Hash)]
pub struct ReqShared {
    /// Who asks.
    pub from: ActorRef<Cache>,
}

/// Asks the home for the only copy, to write.
#[derive(Debug, Hash)]
pub struct ReqExclusive {
    /// Who asks.
    pub from: ActorRef<Cache>,
}

/// A cache gets a copy to read.
#[derive(Debug, Hash)]
pub struct GrantShared {
    /// The value of the cell.
    pub value: u64,
}

/// A cache gets the only copy.
#[derive(Debug, Hash)]
pub struct GrantExclusive {
    /// The value of the cell.
    pub value: u64,
}

/// A cache has to give its copy up.
#[derive(Debug, Hash)]
pub struct Invalidate;

/// A cache has no copy any more.
#[derive(Debug, Hash)]
pub struct InvAck {
    /// Which cache.
    pub from: ActorRef<Cache>,
    /// The value, where the cache had the only copy.
    pub written_back: Option<u64>,
}

/// Asks a CPU how often it has written; answered when it has done all its work.
#[derive(Debug, Hash)]
pub struct HowManyWrites;
