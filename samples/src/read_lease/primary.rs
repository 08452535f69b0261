//! The primary, which answers reads while it has a lease.

use std::time::{Duration, SystemTime};

use actor_core::Timestamp;
use actor_core::prelude::*;

use super::{Beacon, Bug, Granted, LEASE, RENEWAL, Read, Renew, Secondary, Serve};

/// The first primary.
#[derive(Debug)]
pub struct Primary {
    secondary: Option<ActorRef<Secondary>>,
    value: u64,
    lease_ends: Timestamp,
    bug: Option<Bug>,
}

impl Primary {
    /// Creates a primary without a lease.
    pub fn new(bug: Option<Bug>) -> Self {
        Self {
            secondary: None,
            value: 0,
            lease_ends: Timestamp::default(),
            bug,
        }
    }

    /// Returns the current time, by the monotonic clock or by the date.
    fn time(&self, cx: &Context<Self>) -> Timestamp {
        match self.bug {
            Some(Bug::ByDate) => {
                let date = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                Timestamp::at(date.unwrap_or(Duration::ZERO))
            }
            _ => cx.timestamp(),
        }
    }
}

// ANCHOR: primary
#[actor]
impl Primary {
    #[on]
    fn serve(&mut self, Serve(secondary): Serve, cx: &mut Context<Self>) {
        self.secondary = Some(secondary);
        self.renew(Renew, cx);
        cx.every(RENEWAL, Renew);
    }

    #[on]
    fn renew(&mut self, _: Renew, cx: &mut Context<Self>) {
        if let Some(secondary) = &self.secondary {
            let (sent, primary) = (self.time(cx), cx.me());
            secondary.tell(Beacon { sent, primary });
        }
    }

    #[on]
    fn granted(&mut self, granted: Granted, cx: &mut Context<Self>) {
        let begins = match self.bug {
            Some(Bug::FromArrival) => self.time(cx),
            _ => granted.sent,
        };
        self.lease_ends = begins + LEASE;
    }

    #[on]
    fn read(&mut self, _: Read, cx: &mut Context<Self>) -> Option<u64> {
        let has_lease = self.time(cx).is_before(self.lease_ends);
        has_lease.then_some(self.value)
    }
}
// ANCHOR_END: primary
