//! The messages between primary, secondary and clients.

use actor_core::Timestamp;
use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Primary, Secondary};

/// Starts the primary, and gives it the secondary.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Serve(pub ActorRef<Secondary>);

/// A timer: renew the lease.
#[derive(Clone, Debug)]
pub struct Renew;

/// A heartbeat of the primary, which asks for a lease.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Beacon {
    /// The time of sending, by the primary's clock.
    pub sent: Timestamp,
    /// The primary.
    pub primary: ActorRef<Primary>,
}

/// Grants the lease.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Granted {
    /// The time of the request, by the primary's clock.
    pub sent: Timestamp,
}

/// A timer: the secondary has not heard of the primary for the grace period.
#[derive(Clone, Debug)]
pub struct GraceOver;

/// Asks the primary for the value; `None` if the primary has no lease.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Read;

/// Makes the secondary write a new value as soon as it leads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Write(pub u64);
