//! What actors under test can do: the engine's side of the seam.

use std::any::Any;
use std::cell::{Cell, RefCell, RefMut};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use actor_core::__private::{AnyMonitor, AskSlot, Expectation, Predicate};
use actor_core::parts::AnyMail;
use actor_core::runtime::{
    Address, Again, Announce, AskId, Factory, Notice, Offered, RoomId, Runtime, Spawn,
    SpawnOptions, Stop, Target, TimerId, Trap,
};
use actor_core::{ActorId, AskError, Event, Moment, Supervision};

use crate::data::bug::BugKind;
use crate::data::records::{Created, Record};
use crate::data::story::Asked;
use crate::engine::panics::{self, BudgetSpent};
use crate::engine::recording::tape::Decision;
use crate::engine::session::Session;
use crate::engine::watching::specifications::Specifications;
use crate::engine::watching::tally::Tally;
use crate::engine::workshop::{Parts, Workshop};
use crate::engine::world::endings::Remains;
use crate::engine::world::operation::{Effect, Kind, Letter, Stage};
use crate::engine::world::room::{Answer, Status};
use crate::engine::world::state::State;
use crate::engine::world::timers::{Purpose, TimerStage};
use crate::hash::mix;
use crate::strategy::{Choice, Strategy};

/// How many times one step may act on the world before it counts as one that does not return.
pub(crate) const CALLS_MAX: u32 = 1_000_000;

/// What runs now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// A handler, a hook or the test body.
    Running,
    /// A monitor, a predicate or a fingerprint: it may look, not act.
    Looking,
    /// A `Debug`, since the execution is recorded: whatever it calls does nothing, and leaves no trace.
    Printing,
    /// The execution is over; destructors send into nothing.
    Over,
}

/// What the run loop and the actors under test share.
///
/// Nothing in it is borrowed while a user's code runs.
pub(crate) struct Shared {
    /// What belongs to the execution.
    pub(crate) state: RefCell<State>,
    /// What is the user's, and what is used again.
    pub(crate) workshop: RefCell<Workshop>,
    /// What is told of executions, and what is known over all of them.
    pub(crate) session: RefCell<Session>,
    pub(crate) strategy: RefCell<Box<dyn Strategy>>,
    pub(crate) specifications: RefCell<Specifications>,
    pub(crate) phase: Cell<Phase>,
    pub(crate) current: Cell<u32>,
    pub(crate) execution: Cell<u32>,
    /// Why a reply that is dropped now is lost.
    pub(crate) loss: Cell<AskError>,
    pub(crate) calls: Cell<u32>,
    /// Something is to be looked at before the next step: a bug that was found, who wants to hear of
    /// steps, periodic timers, the end that the program has asked for.
    pub(crate) attention: Cell<bool>,
    /// Actors or futures were created in the step in progress.
    pub(crate) born: Cell<bool>,
    /// What happens is recorded. Nothing else depends on it.
    pub(crate) recorded: Cell<bool>,
    /// The moments at which some monitor observes some event.
    pub(crate) observed: Cell<[bool; 3]>,
    /// What monitors and predicates see is kept, as a hash.
    pub(crate) keeps_view: Cell<bool>,
}

impl Shared {
    pub(crate) fn new(strategy: Box<dyn Strategy>) -> Self {
        Self {
            state: RefCell::default(),
            workshop: RefCell::default(),
            session: RefCell::default(),
            strategy: RefCell::new(strategy),
            specifications: RefCell::default(),
            phase: Cell::new(Phase::Over),
            current: Cell::new(0),
            execution: Cell::new(0),
            loss: Cell::new(AskError::Dropped),
            calls: Cell::new(0),
            attention: Cell::new(true),
            born: Cell::new(false),
            recorded: Cell::new(false),
            observed: Cell::new([false; 3]),
            keeps_view: Cell::new(false),
        }
    }

    #[inline]
    pub(crate) fn state(&self) -> RefMut<'_, State> {
        self.state.borrow_mut()
    }

    #[inline]
    pub(crate) fn session(&self) -> RefMut<'_, Session> {
        self.session.borrow_mut()
    }

    #[inline]
    pub(crate) fn workshop(&self) -> RefMut<'_, Workshop> {
        self.workshop.borrow_mut()
    }

    #[inline]
    pub(crate) fn is_recorded(&self) -> bool {
        self.recorded.get()
    }

    /// Records what happened, where the execution is recorded.
    #[inline]
    pub(crate) fn record(&self, what: impl FnOnce() -> Record) {
        if self.is_recorded() {
            self.add(what());
        }
    }

    #[cold]
    fn add(&self, record: Record) {
        if let Some(recorder) = &mut self.session().recorder {
            recorder.add(record);
        }
    }

    pub(crate) fn record_cancelled(&self, remains: &Remains) {
        self.record(|| {
            let state = self.state.borrow();
            let timer = remains.timers.first();
            Record::Cancelled {
                owner: remains.owner,
                timer: timer.map(|(timer, _)| state.timers.slots[*timer as usize].key),
            }
        });
    }

    /// Prints the event that `inspect` shows.
    pub(crate) fn print(&self, inspect: impl FnOnce(&mut dyn FnMut(&dyn Event))) -> String {
        let before = self.phase.replace(Phase::Printing);
        let mut text = String::from("(gone)");
        inspect(&mut |event| {
            text = panics::catch(|| format!("{event:?}"))
                .unwrap_or_else(|panic| format!("(its Debug panicked: {})", panic.message));
        });
        self.phase.set(before);
        text
    }

    /// Takes note of a bug; the first one of an execution counts.
    pub(crate) fn find(&self, kind: BugKind, message: String, location: Option<String>) {
        let step = self.state.borrow().step;
        self.session().find(step, kind, message, location);
        self.attention.set(true);
    }

    /// Counts what an actor runs.
    #[inline]
    pub(crate) fn tally(&self, operation: u32, count: impl FnOnce(&mut Tally)) {
        let state = self.state.borrow();
        let found = state.operations.get(operation as usize);
        if let Some(Kind::Actor(of_type)) = found.map(|found| found.kind) {
            count(&mut self.session().tallies[of_type as usize]);
        }
    }

    /// Whether the caller may act. A monitor or predicate that tries is reported.
    #[inline]
    fn may_act(&self, what: &str) -> bool {
        match self.phase.get() {
            Phase::Running => {
                self.spend_call();
                true
            }
            Phase::Looking => {
                self.find_looker(what);
                false
            }
            Phase::Printing | Phase::Over => false,
        }
    }

    #[cold]
    fn find_looker(&self, what: &str) {
        self.find(
            BugKind::MonitorActs,
            format!("a monitor or predicate called `{what}`: it may only look"),
            None,
        );
    }

    #[inline]
    fn spend_call(&self) {
        let calls = self.calls.get() + 1;
        self.calls.set(calls);
        if calls == CALLS_MAX && !std::thread::panicking() {
            self.stop_handler();
        }
    }

    #[cold]
    fn stop_handler(&self) -> ! {
        let name = self.state.borrow().name(self.current.get());
        std::panic::resume_unwind(Box::new(BudgetSpent(format!(
            "a handler of `{name}` does not return: it sent, chose or armed {CALLS_MAX} times"
        ))))
    }

    /// The operation, if the address belongs to this execution.
    #[inline]
    fn local(&self, address: Address) -> Option<u32> {
        let local = address.execution == self.execution.get();
        if !local && self.phase.get() != Phase::Over {
            self.find_foreign();
        }
        local.then_some(address.operation)
    }

    #[cold]
    fn find_foreign(&self) {
        let message = format!(
            "`{}` used a reference to an actor of another execution: it was kept in a static \
             or leaked, and would make this execution depend on earlier ones",
            self.state.borrow().name(self.current.get())
        );
        self.find(BugKind::ForeignReference, message, None);
    }

    pub(crate) fn decide(&self, choice: Choice, asked: Asked) -> u32 {
        let bound = choice.bound();
        if bound == 1 {
            return 0;
        }
        let answer = self.strategy.borrow_mut().choose(choice);
        let chosen = answer.min((bound - 1) as u32);
        let mut state = self.state.borrow_mut();
        if answer != chosen {
            let name = self.strategy.borrow().name();
            let message = format!("`{name}` answered {answer} to a choice below {bound}");
            let step = state.step;
            self.session().find(step, BugKind::Strategy, message, None);
            self.attention.set(true);
        }
        state.choices += 1;
        let check = mix(0xc401ce, bound) as u32;
        let current = self.current.get();
        state.extend_chain(current, mix(0xc401ce, u64::from(chosen)));
        state.operations[current as usize].own_run = 0;
        let step = state.step;
        drop(state);
        self.session().tape.record(Decision { chosen, check }, step);
        self.record(|| Record::Chose {
            who: current,
            asked,
            of: bound,
            answer: chosen,
        });
        chosen
    }

    fn address(&self, operation: u32) -> Address {
        Address {
            operation,
            execution: self.execution.get(),
        }
    }

    /// Sends a reply, or word of its loss. Towards an asker that is gone it is silent.
    fn reply(&self, index: u32, lost: Option<AskError>) {
        let current = self.current.get();
        let mut state = self.state.borrow_mut();
        let ask = &mut state.asks[index as usize];
        ask.out_of_hands = true;
        if ask.abandoned {
            ask.delivered = true;
            let is_closed = state.close_ask(index);
            drop(state);
            self.drop_reply(index, is_closed);
            return;
        }
        state.push(current, Effect::Reply { ask: index, lost });
        if lost.is_some() {
            // A reply may be lost while the operation is between two steps.
            state.refresh(current);
        }
    }
}

impl Runtime for Shared {
    fn spawn(&self, actor: &mut dyn Spawn, options: &SpawnOptions) -> Address {
        if !self.may_act("spawn") {
            // The actor is dropped by its owner; nothing will ever reach this address.
            return self.address(u32::MAX);
        }
        let (index, parts) = self.conceive(actor, options);
        self.bear(index, parts)
    }

    fn spawn_with(
        &self,
        supervisor: Option<Address>,
        mut factory: Factory,
        options: &SpawnOptions,
    ) -> Address {
        if !self.may_act("spawn_with") {
            return self.address(u32::MAX);
        }
        let supervisor = supervisor.and_then(|supervisor| self.local(supervisor));
        let (index, mut parts) = self.conceive(&mut *factory, options);
        parts.factory = Some(factory);
        self.state
            .borrow_mut()
            .adopt(supervisor, index, options.child);
        self.bear(index, parts)
    }

    fn supervise(&self, supervisor: Address, supervision: Supervision) {
        if self.may_act("supervise")
            && let Some(supervisor) = self.local(supervisor)
        {
            let mut state = self.state.borrow_mut();
            state.reach.beyond = true;
            let household = state.household_of(supervisor);
            household.family.supervise(supervision);
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
        let at_once = stop == Stop::AtOnce;
        state.push(current, Effect::Stop { to, at_once });
        if let Stop::Within(deadline) = stop {
            let key = state.child_key_of(current);
            let (timer, generation) = state.timers.reserve(to, deadline, key);
            state.timers.slots[timer as usize].purpose = Purpose::Kill;
            state.push(current, Effect::Arm { timer, generation });
        }
    }

    #[inline]
    fn post(&self, to: Address, message: &mut dyn Any) {
        if !self.may_act("tell") {
            return;
        }
        let Some(to) = self.local(to) else {
            return;
        };
        let current = self.current.get();
        let Some((slot, event)) = self.put(to, message) else {
            return;
        };
        self.state.borrow_mut().send(current, to, slot, event);
    }

    fn ask_for_room(&self, to: Address, event: u16, waits: bool) -> RoomId {
        let asked = self.may_act("send").then(|| self.local(to)).flatten();
        let index = asked.map_or(u32::MAX, |to| {
            let current = self.current.get();
            self.state.borrow_mut().question(current, to, event, waits)
        });
        RoomId {
            index,
            execution: self.execution.get(),
        }
    }

    fn poll_room(&self, room: RoomId, message: &mut dyn Any, waker: &Waker) -> Poll<Offered> {
        if !self.is_open(room) {
            return Poll::Ready(Offered::Closed);
        }
        let mut state = self.state.borrow_mut();
        let question = &mut state.questions[room.index as usize];
        let Status::Answered(answer) = question.status else {
            state.reach.beyond = true;
            drop(state);
            let before = self.workshop().keep_asker(room.index, waker.clone());
            drop(before);
            return Poll::Pending;
        };
        let to = question.target;
        state.close_question(room.index);
        let offered = answer.offered();
        if offered == Offered::Taken {
            let current = self.current.get();
            let Some((slot, event)) = self.put(to, message) else {
                return Poll::Ready(Offered::Closed);
            };
            let placed = answer == Answer::Place;
            let letter = state.letter(current, to, slot, event);
            let letter = Letter { placed, ..letter };
            state.push(current, Effect::Send { to, letter });
        }
        Poll::Ready(offered)
    }

    fn room_dropped(&self, room: RoomId) {
        if self.is_open(room) {
            self.state.borrow_mut().drop_question(room.index);
            let waker = self.workshop().take_asker(room.index);
            drop(waker);
            self.wake_due();
        }
    }

    fn ask(&self, to: Address, slot: Arc<AskSlot>) -> AskId {
        let index = if self.phase.get() == Phase::Running {
            let current = self.current.get();
            let index = self.state.borrow_mut().open_ask(current, to.operation);
            let before = self.workshop().keep_reply(index, slot);
            drop(before);
            index
        } else {
            u32::MAX
        };
        AskId {
            index,
            execution: self.execution.get(),
        }
    }

    fn reply_awaited(&self, ask: AskId) {
        if self.is_current(ask) {
            self.state.borrow_mut().await_reply(ask.index);
        }
    }

    fn replied(&self, ask: AskId) {
        if self.is_current(ask) && self.may_act("reply") {
            self.reply(ask.index, None);
        }
    }

    fn reply_handed_over(&self, ask: AskId) {
        if self.is_current(ask) {
            self.state.borrow_mut().asks[ask.index as usize].out_of_hands = true;
        }
    }

    fn reply_dropped(&self, ask: AskId) {
        if self.is_current(ask) && self.phase.get() == Phase::Running {
            let lost = match self.loss.get() {
                AskError::Dropped if std::thread::panicking() => AskError::Failed,
                lost => lost,
            };
            self.reply(ask.index, Some(lost));
        }
    }

    fn ask_dropped(&self, ask: AskId) {
        if self.is_current(ask) {
            let is_closed = {
                let mut state = self.state.borrow_mut();
                state.end_ask(ask.index);
                let record = &mut state.asks[ask.index as usize];
                record.abandoned = true;
                if !record.delivered {
                    // Whether its reply is still sent depends on what comes first.
                    let target = record.target;
                    state.interrupt(target);
                }
                state.close_ask(ask.index)
            };
            self.drop_reply(ask.index, is_closed);
        }
    }

    fn announce(&self, event: &mut dyn Announce) {
        if !self.may_act("announce") {
            return;
        }
        let current = self.current.get();
        let observer = {
            let observers = &self.session.borrow().observers;
            observers.next(0, event.event_type(), Moment::Sent)
        };
        if observer.is_none() {
            // Nobody sees when it happens: it is no effect, and told where it was called.
            if self.is_recorded() {
                let text = self.print(|show| event.inspect(show));
                self.record(|| Record::Announced {
                    who: current,
                    event: text,
                });
            }
            return;
        }
        let (slab, slot) = self.workshop().store(event);
        self.state().push(current, Effect::Announce { slab, slot });
    }

    fn choose(&self, bound: u32) -> u32 {
        if self.may_act("choose") {
            self.decide(Choice::Below(bound), Asked::Choose)
        } else {
            0
        }
    }

    fn choose_bool(&self) -> bool {
        self.may_act("choose_bool") && self.decide(Choice::Below(2), Asked::Bool) == 1
    }

    fn seed(&self) -> u64 {
        if self.may_act("rng") {
            u64::from(self.decide(Choice::Seed, Asked::Rng))
        } else {
            0
        }
    }

    fn now(&self) -> Duration {
        let mut state = self.state();
        if self.phase.get() != Phase::Printing {
            state.reach.beyond = true;
            state.clock_reads += 1;
        }
        state.now
    }

    fn arm(
        &self,
        owner: Address,
        delay: Duration,
        message: &mut dyn Any,
        again: Option<Again>,
    ) -> TimerId {
        let armed = self.may_act("after").then(|| self.local(owner)).flatten();
        let Some(owner) = armed else {
            return self.no_timer();
        };
        let Some((slot, event)) = self.put(owner, message) else {
            return self.no_timer();
        };
        let mut state = self.state.borrow_mut();
        let key = state.child_key_of(owner);
        let (index, generation) = state.timers.reserve(owner, delay, key);
        let timer = &mut state.timers.slots[index as usize];
        timer.event = Some((slot, event));
        timer.periodic = again.is_some();
        self.workshop().clockwork(index).again = again;
        state.push(
            self.current.get(),
            Effect::Arm {
                timer: index,
                generation,
            },
        );
        TimerId {
            index,
            generation,
            execution: self.execution.get(),
        }
    }

    fn cancel(&self, timer: TimerId) {
        if timer.execution != self.execution.get() || self.phase.get() != Phase::Running {
            return;
        }
        let current = self.current.get();
        let mut state = self.state.borrow_mut();
        let TimerId {
            index, generation, ..
        } = timer;
        let is_sleep = state
            .timers
            .get(index, generation)
            .is_some_and(|timer| timer.event.is_none());
        if is_sleep {
            state.end_timer(index);
            drop(state);
            self.record_cancelled(&Remains {
                owner: current,
                letters: Vec::new(),
                timers: vec![(index, None)],
            });
            let clockwork = std::mem::take(self.workshop().clockwork(index));
            drop(clockwork);
        } else {
            state.push(
                current,
                Effect::Cancel {
                    timer: index,
                    generation,
                },
            );
        }
    }

    fn timer_mark(&self, timer: TimerId) -> u64 {
        let state = self.state.borrow();
        let holder = self.current.get();
        if timer.execution != self.execution.get() || holder as usize >= state.live {
            return 0;
        }
        state.timer_mark(holder, timer.index, timer.generation)
    }

    fn sleep(&self, delay: Duration) -> TimerId {
        if !self.may_act("sleep") {
            return self.no_timer();
        }
        let current = self.current.get();
        let mut state = self.state.borrow_mut();
        let key = state.child_key_of(current);
        let (index, generation) = state.timers.reserve(current, delay, key);
        state.push(
            current,
            Effect::Arm {
                timer: index,
                generation,
            },
        );
        TimerId {
            index,
            generation,
            execution: self.execution.get(),
        }
    }

    fn slept(&self, timer: TimerId, waker: &Waker) -> bool {
        let mut state = self.state.borrow_mut();
        match state.timers.get(timer.index, timer.generation) {
            Some(timer) if timer.stage == TimerStage::Over => true,
            Some(_) => {
                state.reach.beyond = true;
                drop(state);
                let mut workshop = self.workshop();
                let kept = &mut workshop.clockwork(timer.index).waker;
                let before = kept.replace(waker.clone());
                drop(workshop);
                drop(before);
                false
            }
            None => true,
        }
    }

    fn receive(&self, owner: Address, event: u16, _: &Waker) -> Option<(Rc<dyn AnyMail>, u32)> {
        let owner = self.local(owner)?;
        let mut state = self.state.borrow_mut();
        match state.take_received(owner, event) {
            Some(letter) => {
                drop(state);
                let mail = self.workshop().mail(owner).cloned()?;
                self.wake_due();
                Some((mail, letter.slot))
            }
            None => {
                state.reach.beyond = true;
                let receiving = &mut state.operations[owner as usize].receiving;
                if !receiving.contains(&event) {
                    receiving.push(event);
                }
                None
            }
        }
    }

    fn receive_dropped(&self, owner: Address, event: u16) {
        if owner.execution == self.execution.get()
            && let Some(operation) = self
                .state
                .borrow_mut()
                .operations
                .get_mut(owner.operation as usize)
        {
            operation.receiving.retain(|received| *received != event);
        }
    }

    fn waits_forever(&self) -> Address {
        let current = self.current.get();
        if self.phase.get() == Phase::Running {
            self.state.borrow_mut().operations[current as usize].patient += 1;
        }
        self.address(current)
    }

    fn waited_forever(&self, operation: Address) {
        if self.phase.get() != Phase::Running || operation.execution != self.execution.get() {
            return;
        }
        let mut state = self.state.borrow_mut();
        if let Some(found) = state.operations.get_mut(operation.operation as usize) {
            found.patient = found.patient.saturating_sub(1);
        }
    }

    fn pipe(&self, owner: Address, future: Pin<Box<dyn Future<Output = ()>>>) {
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

    fn watch(&self, watcher: Address, target: Address, notice: Notice) {
        if !self.may_act("watch") {
            return;
        }
        if let (Some(watcher), Some(target)) = (self.local(watcher), self.local(target)) {
            let mut state = self.state.borrow_mut();
            let watch = state.watch(watcher, target);
            self.workshop().keep_notice(watch, notice);
            state.push(self.current.get(), Effect::Watch { watch });
        }
    }

    fn link(&self, one: Address, other: Address) {
        if !self.may_act("link") {
            return;
        }
        if let (Some(one), Some(other)) = (self.local(one), self.local(other)) {
            self.state.borrow_mut().push(one, Effect::Link { other });
        }
    }

    fn trap_links(&self, owner: Address, trap: Trap) {
        if self.may_act("trap_links")
            && let Some(owner) = self.local(owner)
        {
            let mut state = self.state.borrow_mut();
            state.reach.beyond = true;
            state.operations[owner as usize].trap = Some(trap);
        }
    }

    fn finish(&self) {
        if self.may_act("finish") {
            let current = self.current.get();
            self.state.borrow_mut().push(current, Effect::Finish);
        }
    }

    fn monitor(&self, monitor: Box<dyn AnyMonitor>) {
        if self.may_act("monitor") {
            let mut specifications = self.specifications.borrow_mut();
            let mut session = self.session();
            specifications.register(monitor, &mut self.state(), &mut session.observers);
            self.observed.set(session.observers.moments());
        }
    }

    fn predicate(&self, name: &str, expectation: Expectation, predicate: Predicate) {
        if self.may_act("predicate") {
            let mut state = self.state.borrow_mut();
            let mut specifications = self.specifications.borrow_mut();
            specifications.expect(name, expectation, predicate, &mut state);
        }
    }

    fn has_stopped(&self, of: Address) -> bool {
        let Some(of) = self.local(of) else {
            return true;
        };
        let mut state = self.state.borrow_mut();
        let found = state.operations.get(of as usize);
        let has_stopped = found.is_none_or(|operation| operation.stage == Stage::Gone);
        if self.phase.get() != Phase::Printing {
            state.reach.beyond |= !has_stopped;
            let answer = mix(u64::from(of), u64::from(has_stopped));
            state.extend_chain(self.current.get(), answer);
        }
        has_stopped
    }

    fn names(&self) -> Option<Address> {
        let mut state = self.state();
        state.reach.beyond |= state.names.is_none();
        state.names.map(|registry| self.address(registry))
    }

    fn set_names(&self, registry: Address) {
        if self.phase.get() == Phase::Running {
            self.state().names = Some(registry.operation);
        }
    }

    fn report(&self, error: &str) {
        let name = self.state.borrow().name(self.current.get());
        let message = format!("`{name}`: {error}, and nobody receives it");
        self.find(BugKind::UnreceivedError, message, None);
    }

    fn entered(&self, owner: Address, from: Option<usize>, to: usize) {
        if let Some(owner) = self.local(owner) {
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
        if self.phase.get() == Phase::Running {
            self.session().landmarks.label(label);
        }
    }

    fn name(&self, of: ActorId) -> String {
        let state = self.state.borrow();
        match u32::try_from(of.as_u64()) {
            Ok(operation) if (operation as usize) < state.live => state.name(operation),
            // Of an earlier execution.
            _ => format!("#{}", of.as_u64()),
        }
    }
}

impl Shared {
    /// Creates an actor with its first value.
    fn conceive(&self, actor: &mut dyn Spawn, options: &SpawnOptions) -> (u32, Parts) {
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
                    },
                }
            });
            (index, parts)
        };
        let me = Target::controlled(self.address(index));
        parts.body.install(actor.rest(&me));
        let started = Effect::Start(index);
        self.state.borrow_mut().push(self.current.get(), started);
        (index, parts)
    }

    /// Hands it to the run loop.
    fn bear(&self, index: u32, parts: Parts) -> Address {
        let info = self.state.borrow().info(index);
        if !info.is_some_and(|info| info.starts) {
            self.tally(index, |tally| tally.start(parts.body.state()));
        }
        self.workshop().newborn_actors.push((index, parts));
        self.born.set(true);
        self.address(index)
    }

    fn is_current(&self, ask: AskId) -> bool {
        ask.execution == self.execution.get()
            && ask.index != u32::MAX
            && self.phase.get() != Phase::Over
    }

    fn is_open(&self, room: RoomId) -> bool {
        room.execution == self.execution.get()
            && room.index != u32::MAX
            && self.phase.get() != Phase::Over
    }

    /// Wakes the senders whose questions were answered.
    pub(crate) fn wake_due(&self) {
        let due = std::mem::take(&mut self.state.borrow_mut().due);
        for question in due {
            let waker = self.workshop().take_asker(question);
            waker.into_iter().for_each(Waker::wake);
        }
    }

    /// Puts an event into an actor's mail; tells its slot and which event it is.
    #[inline]
    fn put(&self, to: u32, message: &mut dyn Any) -> Option<(u32, u16)> {
        let workshop = self.workshop.borrow();
        Some(workshop.mail(to)?.put(message))
    }

    /// Drops what a reply was to lie in, where its ask is closed.
    pub(crate) fn drop_reply(&self, ask: u32, is_closed: bool) {
        let slot = is_closed.then(|| self.workshop().take_reply(ask));
        drop(slot);
    }

    fn no_timer(&self) -> TimerId {
        TimerId {
            index: u32::MAX,
            generation: 0,
            execution: self.execution.get(),
        }
    }
}
