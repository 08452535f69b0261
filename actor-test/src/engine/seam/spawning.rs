//! Spawning of actors and futures under test.

use std::future::Future;
use std::pin::Pin;

use actor_core::seam::{Address, Spawn, SpawnOptions};

use crate::engine::arena::ActorParts;
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::world::effect::Effect;
use crate::records::{Created, Record};

impl ControlledRuntime {
    /// Creates an actor with its first value, and the effect that starts it.
    pub(super) fn create_actor(
        &self,
        actor: &mut dyn Spawn<Address>,
        options: &SpawnOptions,
    ) -> (u32, ActorParts) {
        let (index, parts) = self.create_unstarted_actor(actor, options);
        let started = Effect::Start(index);
        self.state
            .borrow_mut()
            .operations
            .push(self.current.get(), started);
        (index, parts)
    }

    /// As [`create_actor`](Self::create_actor), without an effect that starts the actor.
    pub(super) fn create_unstarted_actor(
        &self,
        actor: &mut dyn Spawn<Address>,
        options: &SpawnOptions,
    ) -> (u32, ActorParts) {
        let (index, mut parts) = {
            let (mut state, mut arena) = (self.state(), self.arena());
            let of_type = state
                .operations
                .types
                .number(actor.actor_type(), actor.info());
            self.session().meet(of_type, actor);
            let parts = arena.parts(of_type, actor);
            let index = state.spawn(self.current.get(), of_type, options);
            arena.keep_mail(index, parts.mail.clone());
            self.record(|| {
                let operation = &state.operations[index];
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
        parts.body.install(actor.instance(self.address(index)));
        (index, parts)
    }

    /// Hands a new actor to the run loop.
    pub(super) fn hand_over_actor(&self, index: u32, parts: ActorParts) -> Address {
        let info = self.state.borrow().operations.info(index);
        if !info.is_some_and(|info| info.starts) {
            self.tally(index, |tally| tally.start(parts.body.state()));
        }
        self.arena().spawned_actors.push((index, parts));
        self.has_spawned.set(true);
        self.address(index)
    }

    /// Creates an operation for a future, and hands it to the run loop.
    pub(super) fn spawn_future(&self, owner: Address, future: Pin<Box<dyn Future<Output = ()>>>) {
        if !self.may_act("pipe_to_self") {
            return;
        }
        if let Some(owner) = self.local(owner) {
            let mut state = self.state.borrow_mut();
            let index = state.pipe(self.current.get(), owner);
            self.record(|| Record::Created {
                who: index,
                path: state.operations[index].key,
                what: Created::Future { owner },
            });
            self.arena().spawned_futures.push((index, future));
            self.has_spawned.set(true);
        }
    }
}
