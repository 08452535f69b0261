//! What production adds to an `ask`: why a reply is lost, and that monitors see it.

use std::any::TypeId;
use std::cell::Cell;
use std::sync::Arc;

use super::hub::{Composed, Hub};
use crate::event::Event;
use crate::parts::AskError;
use crate::production::host::current::Sender;
use crate::specification::Moment;

thread_local! {
    /// Why replies that are dropped on this thread are lost, where that is known.
    static LOSS: Cell<Option<AskError>> = const { Cell::new(None) };
}

/// Drops what will never be handled: whoever asked learns why.
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

/// Why a reply that is dropped now will never come.
pub(crate) fn why_lost() -> AskError {
    let known = LOSS.try_with(Cell::get).unwrap_or(None);
    known.unwrap_or(if std::thread::panicking() {
        AskError::Failed
    } else {
        AskError::Dropped
    })
}

/// Who asked, and in which system; kept only while a monitor is registered.
pub(crate) struct Observed<A: Composed> {
    pub(in crate::production) hub: Arc<Hub<A>>,
    pub(in crate::production) asker: Sender,
}

impl<A: Composed> Observed<A> {
    /// Shows a reply to the monitors.
    pub(crate) fn replied(&self, kind: TypeId, value: &dyn Event) {
        let answering = Sender::current();
        let target = self.asker.id();
        self.hub
            .observe(Moment::Replied, kind, value, answering, target);
    }
}
