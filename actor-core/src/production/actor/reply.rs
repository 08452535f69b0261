//! Lost replies and observed replies in production: the error of an `ask`, and monitors.

use std::any::TypeId;
use std::cell::Cell;
use std::sync::Arc;

use super::hub::Hub;
use crate::event::Event;
use crate::production::host::current::Sender;
use crate::seam::AskError;
use crate::specification::Moment;

thread_local! {
    /// The error of replies that are dropped on this thread, if known.
    static LOSS: Cell<Option<AskError>> = const { Cell::new(None) };
}

/// Drops an event that will never be handled; an asker gets the error `why`.
pub(in crate::production) fn losing<T>(why: AskError, drop_it: impl FnOnce() -> T) -> T {
    struct Reset(Option<AskError>);
    impl Drop for Reset {
        fn drop(&mut self) {
            LOSS.set(self.0);
        }
    }
    let _reset = Reset(LOSS.replace(Some(why)));
    drop_it()
}

/// Returns the error of a reply that is dropped now.
pub(crate) fn why_lost() -> AskError {
    let known = LOSS.try_with(Cell::get).unwrap_or(None);
    known.unwrap_or(if std::thread::panicking() {
        AskError::Failed
    } else {
        AskError::Dropped
    })
}

/// The asker, with its system; recorded only while a monitor is registered.
pub(crate) struct Observed {
    pub(in crate::production) hub: Arc<Hub>,
    pub(in crate::production) asker: Sender,
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
