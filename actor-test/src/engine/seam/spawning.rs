//! Spawning of actors, futures and tasks under test.

use actor_core::seam::{ActorType, Address, NewOperation, NewTask, Spawn, SpawnOptions};

use crate::engine::arena::{ActorParts, Piped};
use crate::engine::seam::current_operation::CurrentOperation;
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::world::effect::Effect;
use crate::engine::world::names::NO_TYPE;
use crate::records::{Created, Record};

impl ControlledRuntime {
    /// Creates an actor with its first value, without an effect that starts it.
    pub(super) fn create_actor(
        &self,
        actor: &mut dyn Spawn<Address>,
        options: &SpawnOptions,
    ) -> (u32, ActorParts) {
        let of = actor.of();
        let (index, mut parts) = {
            let (mut state, mut arena) = (self.state(), self.arena());
            let of_type = state.operations.types.number(of.id, of.info);
            self.session().meet(of_type, of);
            let parts = arena.parts(of_type, actor);
            let index = state.spawn(self.current.get(), of_type, options);
            arena.keep_mail(index, parts.mail.clone());
            self.record(|| {
                let operation = &state.operations[index];
                Record::Created {
                    who: index,
                    path: operation.key,
                    what: Created::Actor {
                        of_type: of.info.name,
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
}

impl CurrentOperation<'_> {
    /// Creates an operation, and the effect that starts it. Returns `None` if the current one may not spawn.
    pub(super) fn spawn(self, new: NewOperation<'_>) -> Option<Address> {
        self.acting(new.name())?;
        match new {
            NewOperation::Actor(actor, options) => {
                let (index, parts) = self.create_actor(actor, options);
                self.push(Effect::Start(index));
                Some(self.hand_over_actor(index, parts))
            }
            NewOperation::Child {
                supervisor,
                mut factory,
                options,
            } => {
                let supervisor = supervisor.and_then(|supervisor| self.local(supervisor));
                let (index, mut parts) = self.create_actor(&mut *factory, options);
                self.push(Effect::Start(index));
                parts.factory = Some(factory);
                let mut state = self.state();
                state.add_child(supervisor, index, options.child);
                drop(state);
                Some(self.hand_over_actor(index, parts))
            }
            NewOperation::Future(owner, future) => {
                let owner = self.local(owner)?;
                Some(self.spawn_future(owner, future))
            }
            NewOperation::Task(task) => Some(self.spawn_task(task)),
            NewOperation::Name(name, of) => Some(self.name(name, of)),
        }
    }

    /// Returns the address of a name.
    fn name(self, name: &str, of: Option<ActorType>) -> Address {
        let (index, is_new) = {
            let mut state = self.state();
            let of_type = of.map_or(NO_TYPE, |of| {
                let of_type = state.operations.types.number(of.id, of.info);
                self.session().meet(of_type, of);
                of_type
            });
            let (index, is_new) = state.name_operation(self.number, name, of_type);
            if is_new {
                self.record(|| Record::Created {
                    who: index,
                    path: state.operations[index].key,
                    what: Created::Name {
                        name: state.name(index),
                    },
                });
            }
            (index, is_new)
        };
        self.has_names.set(true);
        if is_new && let Some(of) = of {
            self.arena().keep_mail(index, (of.mail)().into());
        }
        self.address(index)
    }

    fn spawn_future(self, owner: u32, future: Piped) -> Address {
        let index = {
            let mut state = self.state();
            let index = state.pipe(self.number, owner);
            self.record(|| Record::Created {
                who: index,
                path: state.operations[index].key,
                what: Created::Future { owner },
            });
            index
        };
        self.arena().spawned_futures.push((index, future));
        self.has_spawned.set(true);
        self.address(index)
    }

    fn spawn_task(self, task: NewTask) -> Address {
        self.need_stack();
        let NewTask {
            run,
            name,
            is_thread,
            end,
        } = task;
        let index = {
            let mut state = self.state();
            let index = state.spawn_task(self.number, name.as_deref(), is_thread, end.index);
            self.record(|| Record::Created {
                who: index,
                path: state.operations[index].key,
                what: Created::Task {
                    name: state.name(index),
                    is_thread,
                    end: end.index,
                },
            });
            index
        };
        self.tasks.borrow_mut().bear(index, run);
        self.instrumented.set(true);
        self.address(index)
    }
}
