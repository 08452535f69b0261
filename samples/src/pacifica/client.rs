//! The client of the replicated list, which survives the loss of a primary.

use actor_core::prelude::*;

use super::{HowMany, Master, Primary, Replica, Subscribe, Update, Updated};
use ClientState as To;

/// Makes one update after the other.
#[derive(Debug)]
pub struct Client {
    updates: u32,
    made: u32,
    primary: Option<ActorRef<Replica>>,
}

#[actor(states(Updating(defer(HowMany)), Done(ignore(Primary, Updated))))]
impl Client {
    /// Creates a client with this number of updates.
    pub fn new(updates: u32) -> Self {
        Self {
            updates,
            made: 0,
            primary: None,
        }
    }

    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let master = cx.at::<Master>("master/master");
        master.tell(Subscribe(cx.recipient()));
    }

    /// Sends the update again: the old primary may have lost it.
    #[on(Updating)]
    fn primary(&mut self, primary: Primary, cx: &mut Context<Self>) {
        self.primary = Some(primary.0);
        self.update(cx);
    }

    /// An update that was sent twice may be answered twice.
    #[on(Updating)]
    fn updated(&mut self, updated: Updated, cx: &mut Context<Self>) {
        if updated.0 != self.made + 1 {
            return;
        }
        self.made += 1;
        match self.made < self.updates {
            true => self.update(cx),
            false => cx.goto(To::Done),
        }
    }

    #[on(Done)]
    fn how_many(&mut self, _: HowMany) -> u32 {
        self.made
    }

    fn update(&self, cx: &Context<Self>) {
        if let Some(primary) = &self.primary {
            primary.tell(Update {
                number: self.made + 1,
                client: cx.recipient(),
            });
        }
    }
}
