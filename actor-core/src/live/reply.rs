//! What production adds to an `ask`: why a reply is lost, and that monitors see it.

use std::any::TypeId;
use std::cell::Cell;
use std::sync::Arc;

use super::current::Sender;
use super::hub::Hub;
use crate::event::Event;
use crate::monitor::Moment;
use crate::parts::AnyMail;
use crate::reply::AskError;

thread_local! {
    /// Events are dropped on this thread because their actor has stopped.
    static STOPPED: Cell<bool> = const { Cell::new(false) };
}

/// Drops an event that its actor will never handle: whoever asked learns that it has stopped.
pub(super) fn drop_unhandled(mail: &dyn AnyMail, slot: u32) {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            STOPPED.set(self.0);
        }
    }
    let _reset = Reset(STOPPED.replace(true));
    mail.discard(slot);
}

/// Why a reply that is dropped now will never come.
pub(crate) fn why_lost() -> AskError {
    if STOPPED.try_with(Cell::get).unwrap_or(false) {
        AskError::Stopped
    } else {
        AskError::Dropped
    }
}

/// Who asked, and in which system; kept only while a monitor is registered.
pub(crate) struct Observed {
    pub(super) hub: Arc<Hub>,
    pub(super) asker: Sender,
}

impl Observed {
    /// Shows a reply to the monitors.
    pub(crate) fn replied(&self, kind: TypeId, value: &dyn Event) {
        let answering = Sender::current();
        let target = self.asker.id();
        self.hub
            .observe(Moment::Replied, kind, value, answering, target);
    }
}
