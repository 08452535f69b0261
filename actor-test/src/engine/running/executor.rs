//! The program under test while it runs: [`Executor`].

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;

use actor_core::seam::{call_each, drop_each};
use actor_test_stacks::ScopedCall;

use crate::engine::arena::{ActorParts, Piped, UserValues};
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::states::fingerprint::EngineView;
use crate::engine::world::operation::OperationRole;
use crate::engine::world::wake::WakeList;

/// Runs the code of the operations, each with its values, and carries out their effects.
pub(crate) struct Executor {
    pub(crate) shared: Rc<ControlledRuntime>,
    pub(crate) bodies: Vec<Option<ActorParts>>,
    pub(crate) futures: Vec<Option<Piped>>,
    pub(crate) test: Option<Piped>,
    pub(crate) wakers: Vec<Waker>,
    pub(crate) wake_list: Arc<WakeList>,
    pub(crate) woken: Vec<u32>,
    /// The entry point of the body on a stack of its own, and the cell that receives its future. Set by the
    /// first execution in which the body needs such a stack.
    pub(crate) body: Option<(ScopedCall, Rc<RefCell<Option<Piped>>>)>,
}

impl Executor {
    pub(crate) fn new(shared: Rc<ControlledRuntime>) -> Self {
        Self {
            wake_list: shared.wake_list.clone(),
            shared,
            bodies: Vec::new(),
            futures: Vec::new(),
            test: None,
            wakers: Vec::new(),
            woken: Vec::new(),
            body: None,
        }
    }

    /// Returns a view of the actors' values and of the state, between two steps.
    pub(crate) fn view(&self) -> EngineView<'_> {
        EngineView {
            bodies: &self.bodies,
            shared: &self.shared,
        }
    }

    #[inline]
    pub(crate) fn ensure_slot(&mut self, operation: u32) {
        let needed = operation as usize + 1;
        if self.bodies.len() < needed {
            self.make_slots(needed);
        }
    }

    #[cold]
    fn make_slots(&mut self, needed: usize) {
        self.bodies.resize_with(needed, || None);
        self.futures.resize_with(needed, || None);
        for operation in self.wakers.len()..needed {
            self.wakers.push(self.wake_list.waker(operation as u32));
        }
    }

    /// Moves the bodies of the actors that the step spawned to their slots.
    pub(crate) fn install_spawned(&mut self) {
        if !self.shared.has_spawned.replace(false) {
            return;
        }
        let (actors, futures) = {
            let mut arena = self.shared.arena();
            (
                std::mem::take(&mut arena.spawned_actors),
                std::mem::take(&mut arena.spawned_futures),
            )
        };
        let mut actors = actors;
        for (operation, parts) in actors.drain(..) {
            self.ensure_slot(operation);
            self.bodies[operation as usize] = Some(parts);
            if self.shared.is_recorded() {
                self.record_value(operation);
            }
        }
        for (operation, future) in futures {
            self.ensure_slot(operation);
            self.futures[operation as usize] = Some(future);
        }
        // The memory of the list is used again.
        self.shared.arena().spawned_actors = actors;
    }

    /// Drops all of the user's values, and keeps the parts for the next execution.
    pub(crate) fn clean_up(&mut self) {
        let shared = Rc::clone(&self.shared);
        let effects = shared.effects();
        shared.phase.set(CodePhase::Over);
        effects.clear_tasks();
        let test = self.test.take();
        effects.drop_quietly(move || drop(test));
        let count = shared.state().operations.count();
        for number in 0..count {
            let operation = number as usize;
            let future = self.futures.get_mut(operation).and_then(Option::take);
            effects.drop_quietly(move || drop(future));
            let Some(mut parts) = self.bodies.get_mut(operation).and_then(Option::take) else {
                continue;
            };
            effects.drop_quietly(|| parts.body.clear());
            effects.drop_quietly(|| parts.mail.clear());
            let factory = parts.factory.take();
            effects.drop_quietly(move || drop(factory));
            let kind = shared.state().operations[number].kind;
            let mut arena = shared.arena();
            arena.take_mail(number);
            if let OperationRole::Actor(of_type) = kind {
                arena.recycle(of_type, parts);
            }
        }
        let UserValues {
            boots,
            name_uses,
            clockworks,
            notices,
            supplies,
            replies,
            askers,
            callers,
            actors,
            futures,
        } = shared.arena().clear();
        effects.drop_quietly(move || drop_each(boots));
        effects.drop_quietly(move || drop_each(name_uses));
        let scripts = shared.scripts.take();
        effects.drop_quietly(move || drop_each(scripts));
        effects.drop_quietly(move || drop_each(clockworks));
        effects.drop_quietly(move || drop_each(notices));
        effects.drop_quietly(move || drop_each(supplies));
        effects.drop_quietly(move || drop_each(replies));
        effects.drop_quietly(move || drop_each(askers));
        effects.drop_quietly(move || drop_each(callers));
        effects.drop_quietly(move || drop_each(actors));
        effects.drop_quietly(move || drop_each(futures));
        let slabs = shared.arena().slabs();
        effects.drop_quietly(move || call_each(slabs.iter().map(|slab| move || slab.clear())));
        let specifications = shared.specifications.take();
        let (specifications, monitors, predicates) = specifications.end();
        shared.specifications.replace(specifications);
        effects.drop_quietly(move || drop_each(monitors));
        effects.drop_quietly(move || drop_each(predicates));
        self.woken.clear();
        self.wake_list.drain(&mut self.woken);
        self.woken.clear();
    }

    /// Records the value of an actor if it is new or has changed.
    #[cold]
    pub(crate) fn record_value(&self, who: u32) {
        if let Some(value) = self.view().printed_value(who)
            && let Some(recorder) = &mut self.shared.session().recorder
        {
            recorder.record_value(who, &value);
        }
    }
}
