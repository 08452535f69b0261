//! Actors and futures that come into being, and what becomes known of them.

use std::future::Future;
use std::pin::Pin;

use actor_core::runtime::{Address, Spawn, SpawnOptions, Target};

use crate::data::records::{Created, Record};
use crate::engine::seam::shared::Shared;
use crate::engine::workshop::Parts;
use crate::engine::world::operation::Effect;

impl Shared {
    /// Creates an actor with its first value.
    pub(super) fn conceive(&self, actor: &mut dyn Spawn, options: &SpawnOptions) -> (u32, Parts) {
        let (index, parts) = self.conceive_with(actor, options);
        let started = Effect::Start(index);
        self.state.borrow_mut().push(self.current.get(), started);
        (index, parts)
    }

    /// As [`conceive`](Self::conceive), without an effect that starts it.
    pub(super) fn conceive_with(
        &self,
        actor: &mut dyn Spawn,
        options: &SpawnOptions,
    ) -> (u32, Parts) {
        let (index, mut parts) = {
            let (mut state, mut workshop) = (self.state(), self.workshop());
            let of_type = state.types.number(actor.actor_type(), actor.info());
            self.session().meet(of_type, actor);
            let parts = workshop.parts(of_type, actor);
            let index = state.spawn(self.current.get(), of_type, options);
            workshop.keep_mail(index, parts.mail.clone());
            self.record(|| {
                let operation = &state.operations[index as usize];
                Record::Created {
                    who: index,
                    path: operation.key,
                    what: Created::Actor {
                        of_type: actor.info().name,
                        type_number: of_type,
                        ordinal: operation.ordinal,
                        name: options.name.as_deref().map(str::to_owned),
                        prefix: state.nodes.prefix_of(index),
                    },
                }
            });
            (index, parts)
        };
        let me = Target::controlled(self.address(index));
        parts.body.install(actor.rest(&me));
        (index, parts)
    }

    /// Hands it to the run loop.
    pub(super) fn bear(&self, index: u32, parts: Parts) -> Address {
        let info = self.state.borrow().info(index);
        if !info.is_some_and(|info| info.starts) {
            self.tally(index, |tally| tally.start(parts.body.state()));
        }
        self.workshop().newborn_actors.push((index, parts));
        self.born.set(true);
        self.address(index)
    }

    /// Creates an operation for a future, and hands it to the run loop.
    pub(super) fn bear_future(&self, owner: Address, future: Pin<Box<dyn Future<Output = ()>>>) {
        if !self.may_act("pipe_to_self") {
            return;
        }
        if let Some(owner) = self.local(owner) {
            let mut state = self.state.borrow_mut();
            let index = state.pipe(self.current.get(), owner);
            self.record(|| Record::Created {
                who: index,
                path: state.operations[index as usize].key,
                what: Created::Future { owner },
            });
            self.workshop().newborn_futures.push((index, future));
            self.born.set(true);
        }
    }
}
