//! What primary, secondary and clients tell each other.

use actor_core::Timestamp;
use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Primary, Secondary};

/// Has the primary serve reads, with a secondary beside it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Serve(pub ActorRef<Secondary>);

/// It is time to renew the lease.
#[derive(Clone, Debug)]
pub struct Renew;

/// The primary is there, and asks for a lease.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Beacon {
    /// When it was sent, by the primary's clock.
    pub sent: Timestamp,
    /// Who asks.
    pub primary: ActorRef<Primary>,
}

/// The lease is granted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Granted {
    /// When it was asked for, by the primary's clock.
    pub sent: Timestamp,
}

/// The primary has not been heard of for the grace period.
#[derive(Clone, Debug)]
pub struct GraceOver;

/// Asks the primary for the value. The answer is none where it has no lease.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Read;

/// Has the secondary take a new value, as soon as it leads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Write(pub u64);
