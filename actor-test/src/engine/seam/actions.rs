//! Effects of operations under test: an [`Action`] becomes an effect in the outbox.

use actor_core::seam::{Action, AskId, NameUse, Stop, TimerId};

use crate::engine::arena::{NameAnswer, WatchNotice};
use crate::engine::seam::current_operation::CurrentOperation;
use crate::engine::world::effect::Effect;
use crate::engine::world::names::NameUseRecord;
use crate::engine::world::timers::TimerPurpose;
use crate::engine::world::watches::WatchedChange;

impl CurrentOperation<'_> {
    /// Carries out an action whose addresses and `ask` are of this execution.
    pub(super) fn act(self, action: Action) {
        match action {
            Action::Cancel(timer) => self.cancel(timer),
            Action::Stop(to, stop) => self.stop(to.operation, stop),
            Action::Watch {
                watcher,
                target,
                notice,
            } => {
                let state = &mut *self.state();
                let watches = &mut state.relations.watches;
                let watch =
                    watches.watch(&mut state.operations, watcher.operation, target.operation);
                let notice = WatchNotice::Event(notice);
                self.arena().keep_notice(watch, notice);
                state.operations.push(self.number, Effect::Watch { watch });
            }
            Action::Unwatch { watcher, target } => {
                let mut state = self.state();
                let before = state.relations.watches.count();
                let target = target.operation;
                state
                    .operations
                    .push(watcher.operation, Effect::Unwatch { target, before });
            }
            Action::AwaitEnd(ask, put) => {
                self.await_change(ask, WatchedChange::End, WatchNotice::Reason(put));
            }
            Action::AwaitStart(ask, put) => {
                self.await_change(ask, WatchedChange::Start, WatchNotice::Start(put));
            }
            Action::Name(name_use) => self.use_name(name_use),
            Action::Link(one, other) => {
                let other = other.operation;
                self.state()
                    .operations
                    .push(one.operation, Effect::Link { other });
            }
            Action::Unlink(one, other) => {
                let other = other.operation;
                self.state()
                    .operations
                    .push(one.operation, Effect::Unlink { other });
            }
            Action::TrapLinks(owner, trap) => {
                let state = &mut *self.state();
                let (footprint, operations) = (&mut state.footprint, &mut state.operations);
                state
                    .relations
                    .trap(footprint, operations, owner.operation, trap);
            }
            Action::Supervise(None, supervision) => {
                self.state().supervise_system(self.number, supervision);
            }
            Action::Supervise(Some(supervisor), supervision) => {
                let state = &mut *self.state();
                let (footprint, operations) = (&mut state.footprint, &mut state.operations);
                let relations = &mut state.relations;
                let supervised = relations.children_of(footprint, operations, supervisor.operation);
                supervised.family.supervise(supervision);
            }
            Action::DecideFailures(supervisor, ask) => {
                let state = &mut *self.state();
                let (footprint, operations) = (&mut state.footprint, &mut state.operations);
                let relations = &mut state.relations;
                let supervised = relations.children_of(footprint, operations, supervisor.operation);
                supervised.family.ask();
                supervised.ask = Some(ask);
            }
            Action::FailPower(disk) => {
                if let Some(disk) = self.local_disk(disk) {
                    self.push(Effect::FailPower { disk });
                }
            }
            Action::TearWrites(disk, block) => {
                if let Some(disk) = self.local_disk(disk) {
                    self.push(Effect::TearWrites { disk, block });
                }
            }
            Action::Fault(fault) => self.inject(&fault),
            Action::Close => {
                let state = &mut *self.state();
                state
                    .progress
                    .close(&mut state.footprint, &state.operations);
            }
            Action::Finish => self.push(Effect::Finish),
        }
    }

    pub(super) fn cancel(self, timer: TimerId) {
        if timer.execution == self.execution.get() {
            let TimerId {
                index: timer,
                generation,
                ..
            } = timer;
            self.push(Effect::Cancel { timer, generation });
        }
    }

    fn stop(self, to: u32, stop: Stop) {
        let at_once = match stop {
            Stop::InOrder => false,
            Stop::AtOnce => true,
            Stop::After(limit) => {
                let state = &mut *self.state();
                let parts = (self.number, to, self.number);
                let (timer, _) = state.timers.plan(&mut state.operations, parts, limit);
                state.timers[timer].purpose = TimerPurpose::Kill;
                return;
            }
        };
        self.push(Effect::Stop { to, at_once });
    }

    fn use_name(self, name_use: NameUse) {
        let mut with_spawn = false;
        let (record, entry, answer) = match name_use {
            NameUse::Register {
                name,
                entry,
                with_spawn: just_spawned,
            } => {
                with_spawn = just_spawned;
                let Some(actor) = self.local(entry.actor) else {
                    return;
                };
                let name = name.into();
                let ask = None;
                let record = NameUseRecord::Register { name, actor, ask };
                (record, Some(entry), None)
            }
            NameUse::TryRegister(ask, name, entry, put) => {
                let Some(actor) = self.local(entry.actor) else {
                    return;
                };
                self.state().requests.asks.ask_for_end(ask.index);
                let (name, ask) = (name.into(), Some(ask.index));
                let record = NameUseRecord::Register { name, actor, ask };
                (record, Some(entry), Some(NameAnswer::Registered(put)))
            }
            NameUse::Unregister(name) => {
                let name = name.into();
                (NameUseRecord::Unregister { name }, None, None)
            }
            NameUse::Lookup(ask, put) => {
                self.state().requests.asks.ask_for_end(ask.index);
                let ask = ask.index;
                let record = NameUseRecord::Lookup { ask };
                (record, None, Some(NameAnswer::Found(put)))
            }
        };
        let name_use = self.state().names.add_use(record);
        self.arena().keep_name_use(entry, answer);
        self.push(Effect::Name {
            name_use,
            with_spawn,
        });
    }

    fn await_change(self, ask: AskId, change: WatchedChange, notice: WatchNotice) {
        let state = &mut *self.state();
        let asks = &mut state.requests.asks;
        let watch = state.relations.watches.await_end(asks, ask.index, change);
        self.arena().keep_notice(watch, notice);
        state.operations.push(self.number, Effect::Watch { watch });
    }
}
