//! Effects, carried out: what each does to the state, and what follows from that for the user's values.
//!
//! [`carry_out`](Executor::carry_out) has one line for each kind of effect, which leads to the file of its
//! concern. The frequent kinds have [fast paths](crate::engine::world::fast_path).

mod announce;
mod ask;
mod disk;
mod link;
mod name;
pub(crate) mod network;
mod send;
mod spawn;
mod stop;
mod timer;
mod watch;

use std::cell::RefMut;

use actor_core::AskError;
use actor_core::generated::Moment;

use crate::data::constructs::StepConstruct;
use crate::engine::running::executor::Executor;
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::world::effect::Effect;
use crate::engine::world::endings::OrphanedValues;
use crate::engine::world::state::ExecutionState;

pub(crate) use timer::purpose_of;

/// Carries out the effects that run no code of an actor: letters and replies arrive, or are lost; timers are
/// armed; disks are called. The destructors of lost values do run.
#[derive(Clone, Copy)]
pub(crate) struct Effects<'a> {
    pub(in crate::engine::running) shared: &'a ControlledRuntime,
}

impl ControlledRuntime {
    pub(crate) fn effects(&self) -> Effects<'_> {
        Effects { shared: self }
    }
}

impl Executor {
    /// Carries out the next effect of an outbox and the silent ones behind; returns true if an actor may
    /// change.
    #[inline(always)]
    pub(crate) fn flush(
        &mut self,
        shared: &ControlledRuntime,
        operation: u32,
        mut state: RefMut<'_, ExecutionState>,
    ) -> bool {
        let Some(to) = state.flush_send(operation) else {
            return self.flush_any(operation, state);
        };
        if shared.shows(Moment::Sent) {
            self.shared.effects().note_arrival(shared, to, state);
        }
        false
    }

    /// Carries out an effect of any kind.
    #[inline(never)]
    fn flush_any(&mut self, operation: u32, mut state: RefMut<'_, ExecutionState>) -> bool {
        if let Some((to, link, letter)) = state.flush_crossing(operation) {
            drop(state);
            self.shared.network().cross(operation, to, link, letter);
            self.flush_rest(operation);
            return false;
        }
        let effect = state.take_effect(operation);
        drop(state);
        let changes_actors = matches!(effect, Some(Effect::Halt(_) | Effect::Start(_)));
        if let Some(effect) = effect {
            self.carry_out(operation, effect);
        }
        self.flush_rest(operation);
        changes_actors
    }

    /// Carries out the silent effects behind the effect before; or all of them, if handlers are atomic.
    fn flush_rest(&mut self, operation: u32) {
        self.flush_while(operation, |state, effect| {
            state.progress.has_atomic_handlers() || effect.is_silent()
        });
    }

    pub(crate) fn flush_silent(&mut self, operation: u32) {
        self.flush_while(operation, |_, effect| effect.is_silent());
    }

    fn flush_while(&mut self, operation: u32, rides: impl Fn(&ExecutionState, &Effect) -> bool) {
        loop {
            let effect = {
                let mut state = self.shared.state();
                let next = state.operations[operation].outbox.first();
                let Some(next) = next.filter(|next| rides(&state, next)) else {
                    return state.refresh(operation);
                };
                if !next.is_silent() {
                    state.footprint.record_local(StepConstruct::Together);
                }
                state.take_effect(operation)
            };
            if let Some(effect) = effect {
                self.carry_out(operation, effect);
            }
        }
    }

    /// Carries out an effect of `by`, with nothing borrowed.
    pub(super) fn carry_out(&mut self, by: u32, effect: Effect) {
        let (effects, network) = (self.shared.effects(), self.shared.network());
        let Some(effect) = effects.at_holder(by, effect) else {
            return;
        };
        match effect {
            Effect::Send { to, letter } => effects.send(by, to, letter),
            Effect::Cross { to, link, letter } => network.cross(by, to, link, letter),
            Effect::RequestCapacity(question) => effects.request_capacity(question),
            Effect::Reply { ask, lost } => effects.reply(by, ask, lost),
            Effect::Start(who) => self.start_spawned(by, who),
            Effect::Halt(reason) => self.halt(by, reason),
            Effect::Stop { to, at_once } => self.stop(by, to, at_once),
            Effect::DropReference { to } => {
                let state = &mut *self.shared.state();
                state.operations.let_go(&mut state.footprint, by, to);
            }
            Effect::Finish => effects.request_end(),
            Effect::Arm { timer, generation } => effects.arm(timer, generation),
            Effect::Cancel { timer, generation } => effects.cancel(by, timer, generation),
            Effect::Watch { watch } => {
                let state = &mut *self.shared.state();
                let (footprint, operations) = (&mut state.footprint, &mut state.operations);
                state.relations.watches.begin(footprint, operations, watch);
            }
            Effect::Unwatch { target, before } => {
                let state = &mut *self.shared.state();
                let watches = &mut state.relations.watches;
                watches.end(&mut state.footprint, by, target, before);
            }
            Effect::Name { name_use, .. } => effects.use_name(by, name_use),
            Effect::Notice { watch } => effects.notify(by, watch),
            Effect::Link { other } => effects.link(by, other),
            Effect::Unlink { other } => {
                let state = &mut *self.shared.state();
                state.relations.unlink(&mut state.footprint, by, other);
            }
            Effect::Share { to, life, reason } => effects.share(by, to, life, reason),
            Effect::Decide { child, decision } => self.decided(child, decision),
            Effect::Announce { slab, slot } => effects.announce(by, slab, slot),
            Effect::Disk(call) => effects.call_disk(call),
            Effect::FailPower { disk } => effects.fail_power(disk),
            Effect::TearWrites { disk, block } => {
                let state = &mut *self.shared.state();
                state.disks.tear_writes(&mut state.footprint, disk, block);
            }
            Effect::Fault(number) => {
                let fault = self.shared.state().nodes.node_faults[number as usize].clone();
                self.inject(&fault);
            }
        }
    }
}

impl Effects<'_> {
    /// Discards an effect of `by`, whose node has crashed before the effect was carried out.
    pub(super) fn forget(&self, by: u32, effect: Effect) {
        match effect {
            Effect::Send { to, letter } | Effect::Cross { to, letter, .. } => {
                self.shared
                    .network()
                    .lose(by, to, letter, AskError::Disconnected);
            }
            Effect::RequestCapacity(question) => self.shared.state().drop_question(question),
            Effect::Reply { ask, .. } => {
                let lost = Some(AskError::Disconnected);
                self.shared
                    .state()
                    .operations
                    .push(by, Effect::Reply { ask, lost });
            }
            Effect::Announce { slab, slot } => {
                let slab = self.shared.arena().slab(slab);
                self.dropping(AskError::Dropped, || slab.discard(slot));
            }
            Effect::Arm { timer, generation } => {
                let known = self.shared.state().timers.get(timer, generation).is_some();
                if known {
                    let owner = self.shared.state().timers[timer].owner;
                    let unsent = self.shared.state().end_timer(timer);
                    self.drop_remains(OrphanedValues {
                        owner,
                        letters: Vec::new(),
                        timers: vec![(timer, unsent)],
                    });
                }
            }
            Effect::Notice { .. } | Effect::DropReference { .. } => {
                self.shared.state().operations.push(by, effect);
            }
            Effect::Disk(call) => self.shared.state().disks.forget_call(call),
            Effect::Name { name_use, .. } => self.forget_name_use(name_use),
            Effect::Start(_)
            | Effect::Fault(_)
            | Effect::FailPower { .. }
            | Effect::TearWrites { .. }
            | Effect::Halt(_)
            | Effect::Stop { .. }
            | Effect::Cancel { .. }
            | Effect::Watch { .. }
            | Effect::Unwatch { .. }
            | Effect::Link { .. }
            | Effect::Unlink { .. }
            | Effect::Finish
            | Effect::Decide { .. }
            | Effect::Share { .. } => {}
        }
    }
}
