//! What is expected of replicas.

use actor_core::prelude::*;

use super::{Ballot, CommittedHint, Crash, Elected};

/// A new primary knows every decree that is committed.
#[derive(Debug, Default)]
pub struct Knowledge {
    committed: usize,
}

#[monitor(cold(Watching))]
impl Knowledge {
    #[on]
    fn hint(&mut self, hint: &CommittedHint) {
        self.committed = self.committed.max(hint.committed);
    }

    #[on]
    fn elected(&mut self, elected: &Elected) {
        let (known, committed) = (elected.decrees, self.committed);
        assert!(
            known >= committed,
            "a primary knows {known} decrees of {committed}"
        );
    }
}

// ANCHOR: succession
/// When the primary crashes, somebody succeeds it, in the end.
#[derive(Debug, Default)]
pub struct Succession {
    ballot: Ballot,
    primary: Option<ActorId>,
}

#[monitor(hot(Vacant), cold(Held))]
impl Succession {
    #[on]
    fn hint(&mut self, hint: &CommittedHint, cx: &mut MonitorContext<Self>) {
        if hint.ballot >= self.ballot {
            self.ballot = hint.ballot;
            self.primary = cx.sender();
        }
    }

    #[on]
    fn crash(&mut self, _: &Crash, cx: &mut MonitorContext<Self>) {
        if cx.target() == self.primary {
            cx.goto(SuccessionState::Vacant);
        }
    }

    #[on]
    fn elected(&mut self, elected: &Elected, cx: &mut MonitorContext<Self>) {
        if elected.ballot >= self.ballot {
            self.ballot = elected.ballot;
            self.primary = cx.sender();
            cx.goto(SuccessionState::Held);
        }
    }
}
// ANCHOR_END: succession
