//! What an actor in production is made of: the files below name these parts, and know of each what they use.

use std::borrow::Cow;

use super::actor::LiveActor;
use super::children::Family;
use super::hub::Composed;
use super::life::Life;
use super::node::Nodes;
use super::registry::Member;
use super::relations::Relations;
use crate::identity::ActorId;
use crate::production::mailbox::lane::{KILL, QUIT};

impl Member for LiveActor {
    type Life = Life;

    fn id(&self) -> ActorId {
        self.id()
    }

    fn name(&self) -> Cow<'_, str> {
        self.name()
    }

    fn abort(&self) {
        self.order(KILL | QUIT);
    }

    fn drop_parked(&self) {
        self.drop_parked();
    }
}

impl Composed for LiveActor {
    type Relations = Relations;
    type Family = Family;
    type Nodes = Nodes;
}
