//! The parent of a spawn, a system or an actor of either executor: [`Parent`].

use std::marker::PhantomData;
use std::sync::Arc;

use super::Target;
use crate::identity::Address;
use crate::production::{self, Hub, LiveActor};
use crate::seam::{self, Action, ActorType, NewOperation, Spawn, SpawnOptions};
use crate::supervision::Supervision;

/// An actor about to be spawned, for either executor.
pub(crate) trait AnySpawn: Spawn<Arc<LiveActor>> + Spawn<Address> {}

impl<S: Spawn<Arc<LiveActor>> + Spawn<Address>> AnySpawn for S {}

/// The parent of a spawn. Neither `Send` nor `Sync`: under test it belongs to the execution of its thread.
#[derive(Clone, Copy)]
pub struct Parent<'a>(ParentKind<'a>, PhantomData<*const ()>);

/// The executor of the parent, and the actor unless the parent is a system.
#[derive(Clone, Copy)]
enum ParentKind<'a> {
    Live(&'a Arc<Hub>, Option<&'a Arc<LiveActor>>),
    Controlled(Option<Address>),
}

impl<'a> Parent<'a> {
    pub(crate) fn live(hub: &'a Arc<Hub>, actor: Option<&'a Arc<LiveActor>>) -> Self {
        Self(ParentKind::Live(hub, actor), PhantomData)
    }

    pub(crate) fn controlled(actor: Option<Address>) -> Self {
        Self(ParentKind::Controlled(actor), PhantomData)
    }

    pub(crate) fn spawn(self, actor: &mut dyn AnySpawn, options: &SpawnOptions) -> Target {
        match self.0 {
            ParentKind::Live(hub, _) => production::spawn(hub, actor, options).into(),
            ParentKind::Controlled(_) => {
                seam::with(|rt| rt.spawn(NewOperation::Actor(actor, options))).into()
            }
        }
    }

    /// Starts an actor as a supervised child.
    pub(crate) fn spawn_with(
        self,
        factory: Box<dyn AnySpawn + Send>,
        options: &SpawnOptions,
    ) -> Target {
        match self.0 {
            ParentKind::Live(hub, supervisor) => {
                production::spawn_with(hub, supervisor, factory, options).into()
            }
            ParentKind::Controlled(supervisor) => {
                let child = NewOperation::Child {
                    supervisor,
                    factory,
                    options,
                };
                seam::with(|rt| rt.spawn(child)).into()
            }
        }
    }

    /// Sets the supervision of the children from now on.
    pub(crate) fn supervise(self, supervision: Supervision) {
        match self.0 {
            ParentKind::Live(hub, supervisor) => {
                production::supervise(hub, supervisor, supervision);
            }
            ParentKind::Controlled(supervisor) => {
                seam::act(Action::Supervise(supervisor, supervision));
            }
        }
    }

    /// Returns the reference by a name to an actor of that type.
    pub(crate) fn at(self, name: &str, of: ActorType) -> Target {
        match self.0 {
            ParentKind::Live(hub, _) => hub.named(name, of).into(),
            ParentKind::Controlled(_) => {
                seam::with(|rt| rt.spawn(NewOperation::Name(name, Some(of)))).into()
            }
        }
    }

    /// Returns what the actors of a production system share; `None` under test.
    pub(crate) fn hub(self) -> Option<&'a Arc<Hub>> {
        match self.0 {
            ParentKind::Live(hub, _) => Some(hub),
            ParentKind::Controlled(_) => None,
        }
    }

    pub(crate) fn is_live(self) -> bool {
        self.hub().is_some()
    }
}
