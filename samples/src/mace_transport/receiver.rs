//! The receiver of the transport.

use actor_core::prelude::*;

use super::{Ack, Bug, Data, Packet};

/// Takes the messages of one connection in their order, and acknowledges the last of them.
#[derive(Debug)]
pub struct Receiver {
    connection: Option<Connection>,
    bug: Option<Bug>,
}

/// The receiver's view of a connection.
#[derive(Debug)]
struct Connection {
    id: u64,
    first: u64,
    last: u64,
}

#[actor]
impl Receiver {
    /// Creates a receiver without a connection.
    pub fn new(bug: Option<Bug>) -> Self {
        Self {
            connection: None,
            bug,
        }
    }

    // ANCHOR: data
    #[on]
    fn data(&mut self, data: Data, cx: &mut Context<Self>) {
        if let Some(id) = data.syn
            && self.is_newer(id, data.seq)
        {
            self.connection = Some(Connection {
                id,
                first: data.seq,
                last: data.seq,
            });
        }
        let Some(connection) = &mut self.connection else {
            return;
        };
        let is_stale = data.syn.is_some_and(|id| id != connection.id);
        if is_stale {
            return;
        }
        if data.seq == connection.last + 1 {
            connection.last = data.seq;
        }
        let seq = connection.last;
        cx.spawn(Packet::new(data.sender, Ack { seq }));
    }

    /// Returns true if a SYN opens a newer connection than the open one.
    fn is_newer(&self, id: u64, seq: u64) -> bool {
        match (&self.connection, self.bug) {
            (None, _) => true,
            (Some(open), Some(Bug::NoConnectionId)) => open.first != seq,
            (Some(open), None) => open.id < id,
        }
    }
    // ANCHOR_END: data
}
