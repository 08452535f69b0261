//! The observer, which waits for the next primary.

use actor_core::prelude::*;

use super::{Ballot, Elected, WhoIsNext};

/// Is notified of elections.
#[derive(Debug, Default)]
pub struct Observer {
    ballot: Ballot,
    decrees: usize,
}

#[actor(states(Waiting(defer(WhoIsNext)), Informed))]
impl Observer {
    #[on]
    fn elected(&mut self, elected: Elected, cx: &mut Context<Self>) {
        self.ballot = elected.ballot;
        self.decrees = elected.decrees;
        cx.goto(ObserverState::Informed);
    }

    #[on(Informed)]
    fn who_is_next(&mut self, _: WhoIsNext) -> (Ballot, usize) {
        (self.ballot, self.decrees)
    }
}
