//! The runtime of actors under test: the engine's implementation of [`Runtime`].

use std::any::{Any, TypeId};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use actor_core::fs::{DiskOp, DiskOpResult};
use actor_core::seam::{
    Address, Announce, AnyMail, AnyMonitor, AskId, AskSlot, AskSupervisor, CallErrors,
    CapacityRequestId, DiskCallId, DiskId, EncodedActorRef, Expectation, Factory, InjectedError,
    LinkNotice, NamesOn, NextTick, NodeCode, Notice, Offered, Predicate, Purpose as Pretext,
    PutReason, PutStart, Runtime, Script, ScriptedFault, Spawn, SpawnOptions, Stop, TimerId,
};
use actor_core::supervision::Decision;
use actor_core::{ActorId, AskError, Supervision};

use crate::data::bug::BugKind;
use crate::data::constructs::StepConstruct;
use crate::data::story::ChoicePurpose;
use crate::engine::arena::WatchNotice;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::world::effect::Effect;
use crate::engine::world::operation::OperationStage;
use crate::engine::world::timers::TimerPurpose;
use crate::engine::world::watches::WatchedChange;
use crate::hash::mix;
use crate::records::Record;
use crate::records::marks;
use crate::strategy::Choice;

impl Runtime for ControlledRuntime {
    fn spawn(&self, actor: &mut dyn Spawn<Address>, options: &SpawnOptions) -> Address {
        if !self.may_act("spawn") {
            // The owner drops the actor; nothing is ever sent to this address.
            return self.address(u32::MAX);
        }
        let (index, parts) = self.create_actor(actor, options);
        self.hand_over_actor(index, parts)
    }

    fn spawn_with(
        &self,
        supervisor: Option<Address>,
        mut factory: Factory<Address>,
        options: &SpawnOptions,
    ) -> Address {
        if !self.may_act("spawn_with") {
            return self.address(u32::MAX);
        }
        let supervisor = supervisor.and_then(|supervisor| self.local(supervisor));
        let (index, mut parts) = self.create_actor(&mut *factory, options);
        parts.factory = Some(factory);
        self.state
            .borrow_mut()
            .add_child(supervisor, index, options.child);
        self.hand_over_actor(index, parts)
    }

    fn supervise(&self, supervisor: Address, supervision: Supervision) {
        if self.may_act("supervise")
            && let Some(supervisor) = self.local(supervisor)
        {
            let mut state = self.state.borrow_mut();
            let supervised = state.children_of(supervisor);
            supervised.family.supervise(supervision);
        }
    }

    fn supervise_system(&self, supervision: Supervision) {
        if self.may_act("supervise") {
            let current = self.current.get();
            let mut state = self.state.borrow_mut();
            state.supervise_system(current, supervision);
        }
    }

    fn decide_failures(&self, supervisor: Address, ask: AskSupervisor<Address>) {
        if self.may_act("decide_failures")
            && let Some(supervisor) = self.local(supervisor)
        {
            let mut state = self.state.borrow_mut();
            let supervised = state.children_of(supervisor);
            supervised.family.ask();
            supervised.ask = Some(ask);
        }
    }

    fn decided(&self, child: Address, decision: Decision) {
        if let Some(child) = self.local(child) {
            let current = self.current.get();
            let decided = Effect::Decide { child, decision };
            self.state.borrow_mut().operations.push(current, decided);
        }
    }

    fn stop(&self, target: Address, stop: Stop) {
        if !self.may_act("stop") {
            return;
        }
        let Some(to) = self.local(target) else {
            return;
        };
        let current = self.current.get();
        let mut state = self.state.borrow_mut();
        let at_once = match stop {
            Stop::InOrder => false,
            Stop::AtOnce => true,
            Stop::After(limit) => {
                let (timer, _) = state.plan_timer(current, to, current, limit);
                state.timers.slots[timer as usize].purpose = TimerPurpose::Kill;
                return;
            }
        };
        state.operations.push(current, Effect::Stop { to, at_once });
    }

    fn close(&self) -> Vec<Address> {
        if !self.may_act("shutdown") {
            return Vec::new();
        }
        let open = self.state().close(self.current.get());
        open.into_iter().map(|actor| self.address(actor)).collect()
    }

    fn dead_letters(&self) -> u64 {
        self.state().count_dead_letters(self.current.get())
    }

    fn reference_dropped(&self, target: Address, is_last: bool) {
        self.drop_reference(target, is_last);
    }

    fn upgrade_attempted(&self, of: ActorId, is_there: bool) {
        self.seek_reference(of, is_there);
    }

    #[inline]
    fn post(&self, to: Address, message: &mut dyn Any) {
        if !self.may_act("tell") {
            return;
        }
        if to.execution != self.execution.get() {
            return self.post_to_node(to, message);
        }
        let to = to.operation;
        let current = self.current.get();
        let Some((slot, event)) = self.put(to, message) else {
            return;
        };
        self.state
            .borrow_mut()
            .operations
            .send(current, to, slot, event);
        if self.may_refuse.get() && self.refuses_message(to) {
            self.state.borrow_mut().operations.refuse_last_send(current);
        }
    }

    fn lose(&self, relay: Address, message: &mut dyn Any, why: AskError) {
        let current = self.current.get();
        if self.may_act("tell")
            && self.local(relay) == Some(current)
            && let Some((slot, event)) = self.put(current, message)
        {
            self.state
                .borrow_mut()
                .operations
                .lose(current, slot, event, why);
        }
    }

    fn is_bounded(&self, of: Address) -> bool {
        let state = self.state.borrow();
        let found = self.local(of).and_then(|of| state.operations.get(of));
        found.is_some_and(|found| found.bound.is_some())
    }

    fn ask_for_room(&self, to: Address, event: u16, waits: bool) -> CapacityRequestId {
        self.begin_question(to, event, waits)
    }

    fn poll_room(
        &self,
        room: CapacityRequestId,
        message: &mut dyn Any,
        waker: &Waker,
    ) -> Poll<Offered> {
        self.poll_question(room, message, waker)
    }

    fn room_dropped(&self, room: CapacityRequestId) {
        self.give_up_question(room);
    }

    fn ask(&self, to: Address, slot: Arc<AskSlot>) -> AskId {
        self.begin_ask(to, slot)
    }

    fn ask_limit(&self) -> Option<Duration> {
        self.state.borrow().requests.asks.limit()
    }

    fn set_ask_limit(&self, limit: Duration) {
        if self.may_act("set a limit for asks") {
            self.state.borrow_mut().requests.asks.set_limit(limit);
        }
    }

    fn reply_polled(&self, ask: AskId, is_there: bool) {
        if self.is_current(ask) {
            let mut state = self.state.borrow_mut();
            state.seek_reply(self.current.get(), ask.index, is_there);
        }
    }

    fn replied(&self, ask: AskId) {
        if self.is_current(ask) && self.may_act("reply") {
            self.reply(ask.index, None);
        }
    }

    fn reply_handed_over(&self, ask: AskId) {
        if self.is_current(ask) {
            self.state.borrow_mut().requests.asks[ask.index].is_handed_over = true;
        }
    }

    fn reply_dropped(&self, ask: AskId) {
        self.lose_reply(ask);
    }

    fn ask_dropped(&self, ask: AskId) {
        self.give_up_ask(ask);
    }

    fn announce(&self, event: &mut dyn Announce) {
        self.show_monitors(event);
    }

    fn choose(&self, bound: u32) -> u32 {
        if self.may_act("choose") {
            self.decide(Choice::Below(bound, ChoicePurpose::Choose))
        } else {
            0
        }
    }

    fn choose_bool(&self) -> bool {
        self.may_act("choose_bool") && self.decide(Choice::Below(2, ChoicePurpose::Bool)) == 1
    }

    fn first_branch(&self, count: u32) -> u32 {
        if self.may_act("select") {
            self.decide(Choice::Below(count, ChoicePurpose::Branch))
        } else {
            0
        }
    }

    fn seed(&self) -> u64 {
        if self.may_act("rng") {
            u64::from(self.decide(Choice::Seed))
        } else {
            0
        }
    }

    fn fails(&self, call: &str, failing: CallErrors) {
        if self.may_act("fails") {
            self.supply_failure(call, failing);
        }
    }

    fn call(
        &self,
        call: &str,
        error: TypeId,
        error_name: &'static str,
    ) -> Result<Option<InjectedError>, String> {
        match self.may_act("fallible") {
            true => self.fail_call(call, error, error_name),
            false => Ok(None),
        }
    }

    fn read_clock(&self) {
        self.pass_time();
    }

    fn now(&self) -> Duration {
        let mut state = self.state();
        match self.phase.get() {
            // Observers are on no node.
            CodePhase::Observing => state.read_true_time(),
            CodePhase::Printing => state.now_at(self.current.get()),
            _ => state.read_clock_at(self.current.get()),
        }
    }

    fn is_before(&self, one: Duration, other: Duration) -> bool {
        self.compare(one, other)
    }

    fn node_of(&self, of: Address) -> Option<String> {
        self.name_of_node(of)
    }

    fn arm(
        &self,
        owner: Address,
        delay: Duration,
        message: &mut dyn Any,
        again: Option<NextTick>,
        purpose: Pretext,
    ) -> TimerId {
        self.arm_event(owner, delay, message, again, purpose)
    }

    fn cancel(&self, timer: TimerId) {
        self.cancel_timer(timer);
    }

    fn timer_mark(&self, timer: TimerId) -> u64 {
        let state = self.state.borrow();
        let holder = self.current.get();
        if timer.execution != self.execution.get() || holder >= state.operations.count() {
            return 0;
        }
        state.timer_mark(holder, timer.index, timer.generation)
    }

    fn sleep(&self, delay: Duration, purpose: Pretext) -> TimerId {
        self.begin_sleep(delay, purpose)
    }

    fn time_past_deadline(&self, timer: TimerId) -> Duration {
        self.over_for(timer)
    }

    fn poll_sleep(&self, timer: &mut TimerId, waker: &Waker) -> bool {
        self.has_slept(timer, waker)
    }

    fn receive(&self, owner: Address, event: u16, _: &Waker) -> Option<(Rc<dyn AnyMail>, u32)> {
        let owner = self.local(owner)?;
        let mut state = self.state.borrow_mut();
        match state.take_received(owner, event) {
            Some(letter) => {
                state.footprint.record_local(StepConstruct::Receive);
                drop(state);
                let mail = self.arena().mail(owner).cloned()?;
                self.wake_due();
                Some((mail, letter.slot))
            }
            None => {
                state.footprint.add(StepConstruct::Receive);
                let receiving = &mut state.operations[owner].receiving;
                if !receiving.contains(&event) {
                    receiving.push(event);
                }
                None
            }
        }
    }

    fn receive_dropped(&self, owner: Address, event: u16) {
        if self.is_local(owner)
            && let Some(operation) = self.state.borrow_mut().operations.get_mut(owner.operation)
        {
            operation.receiving.retain(|received| *received != event);
        }
    }

    fn waits_forever(&self) -> Address {
        let current = self.current.get();
        if self.phase.get() == CodePhase::Running {
            self.state.borrow_mut().operations[current].endless_waits += 1;
        }
        self.address(current)
    }

    fn waited_forever(&self, operation: Address) {
        if self.phase.get() != CodePhase::Running || !self.is_local(operation) {
            return;
        }
        let mut state = self.state.borrow_mut();
        if let Some(found) = state.operations.get_mut(operation.operation) {
            found.endless_waits = found.endless_waits.saturating_sub(1);
        }
    }

    fn pipe(&self, owner: Address, future: Pin<Box<dyn Future<Output = ()>>>) {
        self.spawn_future(owner, future);
    }

    fn watch(&self, watcher: Address, target: Address, notice: Notice) {
        if !self.may_act("watch") {
            return;
        }
        if let (Some(watcher), Some(target)) = (self.local(watcher), self.local(target)) {
            let mut state = self.state.borrow_mut();
            let watch = state.watch(watcher, target);
            self.arena().keep_notice(watch, WatchNotice::Event(notice));
            state
                .operations
                .push(self.current.get(), Effect::Watch { watch });
        }
    }

    fn unwatch(&self, watcher: Address, target: Address) {
        if !self.may_act("unwatch") {
            return;
        }
        if let (Some(watcher), Some(target)) = (self.local(watcher), self.local(target)) {
            let mut state = self.state.borrow_mut();
            let before = state.relations.watches.count();
            state
                .operations
                .push(watcher, Effect::Unwatch { target, before });
        }
    }

    fn await_end(&self, ask: AskId, put: PutReason) {
        if !self.is_current(ask) || !self.may_act("await the end of an actor") {
            return;
        }
        let mut state = self.state.borrow_mut();
        let watch = state.await_end(ask.index, WatchedChange::End);
        self.arena().keep_notice(watch, WatchNotice::Reason(put));
        state
            .operations
            .push(self.current.get(), Effect::Watch { watch });
    }

    fn await_start(&self, ask: AskId, put: PutStart) {
        if !self.is_current(ask) || !self.may_act("await the start of an actor") {
            return;
        }
        let mut state = self.state.borrow_mut();
        let watch = state.await_end(ask.index, WatchedChange::Start);
        self.arena().keep_notice(watch, WatchNotice::Start(put));
        state
            .operations
            .push(self.current.get(), Effect::Watch { watch });
    }

    fn disk(&self) -> DiskId {
        self.own_disk()
    }

    fn disk_call(&self, disk: DiskId, call: DiskOp) -> DiskCallId {
        self.begin_call(disk, call)
    }

    fn poll_disk_call(&self, call: DiskCallId, waker: &Waker) -> Poll<io::Result<DiskOpResult>> {
        self.poll_call(call, waker)
    }

    fn disk_call_dropped(&self, call: DiskCallId) {
        self.give_up_call(call);
    }

    fn fail_power(&self, disk: DiskId) {
        self.plan_disk(disk, |disk| Effect::FailPower { disk });
    }

    fn tear_writes(&self, disk: DiskId, block: u32) {
        self.plan_disk(disk, |disk| Effect::TearWrites { disk, block });
    }

    fn link(&self, one: Address, other: Address) {
        if !self.may_act("link") {
            return;
        }
        if let (Some(one), Some(other)) = (self.local(one), self.local(other)) {
            self.state
                .borrow_mut()
                .operations
                .push(one, Effect::Link { other });
        }
    }

    fn unlink(&self, one: Address, other: Address) {
        if !self.may_act("unlink") {
            return;
        }
        if let (Some(one), Some(other)) = (self.local(one), self.local(other)) {
            self.state
                .borrow_mut()
                .operations
                .push(one, Effect::Unlink { other });
        }
    }

    fn trap_links(&self, owner: Address, trap: LinkNotice) {
        if self.may_act("trap_links")
            && let Some(owner) = self.local(owner)
        {
            let mut state = self.state.borrow_mut();
            state.footprint.add(StepConstruct::Link);
            state.operations[owner].trap = Some(trap);
        }
    }

    fn finish(&self) {
        if self.may_act("finish") {
            let current = self.current.get();
            self.state
                .borrow_mut()
                .operations
                .push(current, Effect::Finish);
        }
    }

    fn monitor(&self, monitor: Box<dyn AnyMonitor>) {
        if self.may_act("monitor") {
            let mut specifications = self.specifications.borrow_mut();
            let is_new = {
                let mut session = self.session();
                let is_new =
                    specifications.register(monitor, &mut self.state(), &mut session.observers);
                if is_new {
                    self.state().register_observer();
                }
                self.show_at(session.observers.moments());
                is_new
            };
            if is_new && self.is_recorded() {
                self.record(|| specifications.last_monitor());
            }
        }
    }

    fn predicate(&self, name: &str, expectation: Expectation, predicate: Predicate) {
        if self.may_act("predicate") {
            let mut state = self.state.borrow_mut();
            let mut specifications = self.specifications.borrow_mut();
            specifications.expect(name, expectation, predicate, &mut state);
            state.register_observer();
            self.has_predicates.set(true);
            self.shows_actors.set(true);
            self.record(|| specifications.last_predicate());
        }
    }

    fn has_stopped(&self, of: Address) -> bool {
        let Some(of) = self.local(of) else {
            return true;
        };
        let mut state = self.state.borrow_mut();
        let found = state.operations.get(of);
        let has_stopped = found.is_none_or(|operation| operation.stage == OperationStage::Gone);
        if self.phase.get() != CodePhase::Printing {
            match has_stopped {
                true => state.footprint.record_local(StepConstruct::Ends),
                false => state.footprint.add(StepConstruct::Ends),
            }
            let answer = mix(u64::from(of), u64::from(has_stopped));
            state.operations.extend_chain(self.current.get(), answer);
        }
        has_stopped
    }

    fn names(&self) -> Option<Address> {
        let mut state = self.state();
        if let Some(registry) = state.nodes.registry_of(self.current.get()) {
            drop(state);
            return registry.map(|registry| self.address(registry));
        }
        let names = state.read_names();
        drop(state);
        names.map(|registry| self.address(registry))
    }

    fn set_names(&self, registry: Address) {
        if self.phase.get() == CodePhase::Running {
            self.state().progress.set_names(registry.operation);
        }
    }

    fn node(&self, name: &str, code: NodeCode) {
        if self.may_act("node") {
            self.begin_node(name, code);
        }
    }

    fn node_prefix(&self, of: Address) -> Option<String> {
        self.prefix(of)
    }

    fn names_on(&self, node: &str) -> NamesOn<Address> {
        self.registry_on(node)
    }

    fn fault(&self, fault: ScriptedFault) {
        self.begin_node_fault(&fault);
    }

    fn when(&self, name: &str, predicate: Predicate, script: Script) {
        if self.may_act("when") {
            Runtime::predicate(self, name, Expectation::Sometimes, predicate);
            let number = self.specifications.borrow().last_predicate_number();
            self.scripts.borrow_mut().push((number, script));
        }
    }

    fn passport(&self, of: Address) -> Option<EncodedActorRef> {
        self.passport_of(of)
    }

    fn admit(&self, passport: &EncodedActorRef) -> Option<Address> {
        self.admitted(passport)
    }

    fn register_send_table(&self, table: &'static (dyn Any + Send + Sync)) -> u32 {
        self.arena().register_send_table(table)
    }

    fn send_table(&self, number: u32) -> Option<&'static (dyn Any + Send + Sync)> {
        self.arena().send_table(number)
    }

    fn ask_slot(&self, ask: u32) -> Option<Arc<AskSlot>> {
        self.arena().reply(ask).cloned()
    }

    fn report(&self, error: &str) {
        let name = self.state.borrow().name(self.current.get());
        let message = format!("`{name}`: {error}, and nobody receives it");
        self.find(BugKind::UnreceivedError, message, None);
    }

    fn entered(&self, owner: Address, from: Option<usize>, to: usize) {
        if let Some(owner) = self.local(owner) {
            if from == Some(to) {
                self.record(|| Record::Reentered { who: owner });
            }
            self.tally(owner, |tally| match from {
                Some(from) => tally.go(from, to),
                None => tally.start(to),
            });
        }
    }

    fn raised(&self, owner: Address, state: usize, event: u16) {
        if let Some(owner) = self.local(owner) {
            self.tally(owner, |tally| tally.handle(state, event));
        }
    }

    fn cover(&self, label: &'static str) {
        if self.phase.get() == CodePhase::Running {
            self.session().landmarks.label(label);
        }
    }

    fn number_seen(&self) {
        let mut seen = self.numbers_seen.get();
        match self.phase.get() {
            CodePhase::Running => seen.by_operations += 1,
            CodePhase::Observing => seen.by_observers += 1,
            _ => return,
        }
        self.numbers_seen.set(seen);
    }

    fn name(&self, of: ActorId) -> String {
        self.number_seen();
        let state = self.state.borrow();
        match u32::try_from(of.number()) {
            Ok(operation) if operation < state.operations.count() => {
                match self.phase.get() == CodePhase::Printing && self.is_recorded() {
                    // The names are filled in when all of them are known.
                    true => marks::mark(operation),
                    false => state.name(operation),
                }
            }
            // An actor of an earlier execution.
            _ => format!("#{}", of.number()),
        }
    }
}
