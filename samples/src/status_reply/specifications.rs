//! The specifications of the replicas.

use actor_core::prelude::*;

use super::{Ballot, CommittedHint, Crash, Elected};

/// A safety property: a new primary knows every committed decree.
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
/// A liveness property: after a crash of the primary, there is a new one eventually.
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
