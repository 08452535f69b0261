//! The state that the run loop and the actors under test share: [`ControlledRuntime`].

use std::any::Any;
use std::cell::{Cell, RefCell, RefMut};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use actor_core::generated::Moment;
use actor_core::seam::{Address, Script};
use actor_core::{AskError, Event};

use crate::data::problem::Problem;
use crate::data::story::ChoicePurpose;
use crate::engine::arena::Arena;
use crate::engine::panics::{self, StoppedHandler};
use crate::engine::recording::printing;
use crate::engine::recording::tape::RecordedDecision;
use crate::engine::seam::tasks::TaskStacks;
use crate::engine::session::EngineSession;
use crate::engine::specs::specifications::Specifications;
use crate::engine::specs::tally::TypeCoverage;
use crate::engine::world::endings::OrphanedValues;
use crate::engine::world::numbering::NumbersSeen;
use crate::engine::world::operation::OperationRole;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::wake::WakeList;
use crate::hash::mix;
use crate::records::Record;
use crate::strategy::{Choice, FaultDecision, Source};

/// The number of calls in one step from which on its handler counts as one that does not return.
pub(crate) const CALLS_MAX: u32 = 1_000_000;

/// The code that runs now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CodePhase {
    /// A handler, a hook or the test body.
    Running,
    /// A monitor, a predicate or a fingerprint, which must not act.
    Observing,
    /// A `Debug` of a recorded execution: its calls have no effect, and leave no trace.
    Printing,
    /// A `Serialize` or a `Deserialize` for another node, with the limits of a `Debug`.
    Crossing,
    /// A destructor in the crash of a node, whose effects are discarded.
    Crashing,
    /// The execution is over, and destructors have no effect.
    Over,
}

impl CodePhase {
    /// Returns true in the program's own code, and in its destructors in the crash of a node.
    pub(super) fn runs_program(self) -> bool {
        matches!(self, Self::Running | Self::Crashing)
    }
}

/// The state that the run loop and the actors under test share.
///
/// Nothing in it is borrowed while a user's code runs.
pub(crate) struct ControlledRuntime {
    /// The state of the execution.
    pub(crate) state: RefCell<ExecutionState>,
    /// The user's values, and memory for reuse.
    pub(crate) arena: RefCell<Arena>,
    /// The record of the execution, and the statistics of all.
    pub(crate) session: RefCell<EngineSession>,
    pub(crate) strategy: RefCell<Source>,
    pub(crate) specifications: RefCell<Specifications>,
    /// The scripts that inject faults as soon as a predicate is true, by the predicate's number.
    pub(crate) scripts: RefCell<Vec<(u32, Script)>>,
    pub(crate) phase: Cell<CodePhase>,
    pub(crate) current: Cell<u32>,
    pub(crate) execution: Cell<u32>,
    /// The reason for the loss of a reply that is dropped now.
    pub(crate) loss: Cell<AskError>,
    /// Set while a dropped reply is lost without a report to its asker.
    pub(crate) drops_silently: Cell<bool>,
    pub(crate) calls: Cell<u32>,
    /// True if rare conditions are to be checked before the next step: a bug, a strategy that is notified of
    /// steps, periodic timers, the end that the program has asked for.
    pub(crate) instrumented: Cell<bool>,
    /// True if the step in progress has spawned actors or futures.
    pub(crate) has_spawned: Cell<bool>,
    /// True if the execution has references by name.
    pub(crate) has_names: Cell<bool>,
    /// True if the execution is recorded. Nothing else depends on it.
    pub(crate) recorded: Cell<bool>,
    /// For each moment, true if events are shown to a monitor or to the recorder.
    pub(crate) shown: Cell<[bool; 3]>,
    /// True while faults may come.
    pub(crate) may_fail: Cell<bool>,
    /// True if a fault may have a mailbox refuse messages.
    pub(crate) may_refuse: Cell<bool>,
    pub(crate) has_predicates: Cell<bool>,
    /// True if actors are shown after a step, to predicates or to the recorder.
    pub(crate) shows_actors: Cell<bool>,
    /// True if the strategy is notified of steps.
    pub(crate) hears_steps: Cell<bool>,
    /// True if the strategy compares states.
    pub(crate) compares_states: Cell<bool>,
    /// True if all that monitors and predicates see is kept as a hash.
    pub(crate) keeps_view: Cell<bool>,
    /// The operations that were woken.
    pub(crate) wake_list: Arc<WakeList>,
    /// In a recorded execution, the length of that list when the last access began.
    pub(crate) woken_before: Cell<usize>,
    /// The tasks on stacks of their own.
    pub(crate) tasks: RefCell<TaskStacks>,
    /// True if the test body needs a stack of its own, and is to be run again.
    pub(crate) wants_stack: Cell<bool>,
    /// The number of times that the program has read actors' numbers.
    pub(crate) numbers_seen: Cell<NumbersSeen>,
    /// The answers to the choices of a body that is run again.
    pub(crate) answers: RefCell<VecDeque<u32>>,
}

impl ControlledRuntime {
    pub(crate) fn new(strategy: Source) -> Self {
        Self {
            state: RefCell::default(),
            arena: RefCell::default(),
            session: RefCell::default(),
            strategy: RefCell::new(strategy),
            specifications: RefCell::default(),
            scripts: RefCell::default(),
            phase: Cell::new(CodePhase::Over),
            current: Cell::new(0),
            execution: Cell::new(0),
            loss: Cell::new(AskError::Dropped),
            drops_silently: Cell::new(false),
            calls: Cell::new(0),
            instrumented: Cell::new(true),
            has_spawned: Cell::new(false),
            has_names: Cell::new(false),
            recorded: Cell::new(false),
            shown: Cell::new([false; 3]),
            may_fail: Cell::new(false),
            may_refuse: Cell::new(false),
            has_predicates: Cell::new(false),
            shows_actors: Cell::new(false),
            hears_steps: Cell::new(false),
            compares_states: Cell::new(false),
            keeps_view: Cell::new(false),
            wake_list: WakeList::new(),
            woken_before: Cell::new(0),
            tasks: RefCell::default(),
            wants_stack: Cell::new(false),
            numbers_seen: Cell::default(),
            answers: RefCell::default(),
        }
    }

    #[inline]
    pub(crate) fn state(&self) -> RefMut<'_, ExecutionState> {
        self.state.borrow_mut()
    }

    #[inline]
    pub(crate) fn session(&self) -> RefMut<'_, EngineSession> {
        self.session.borrow_mut()
    }

    #[inline]
    pub(crate) fn arena(&self) -> RefMut<'_, Arena> {
        self.arena.borrow_mut()
    }

    #[inline]
    pub(crate) fn is_recorded(&self) -> bool {
        self.recorded.get()
    }

    /// Returns true if events are shown at that moment.
    #[inline]
    pub(crate) fn shows(&self, moment: Moment) -> bool {
        self.shown.get()[moment as usize]
    }

    /// Sets the moments at which monitors observe events.
    pub(crate) fn show_at(&self, moments: [bool; 3]) {
        let is_recorded = self.is_recorded();
        self.shown.set(moments.map(|moment| moment || is_recorded));
    }

    /// Adds a record if the execution is recorded.
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

    pub(crate) fn record_cancelled(&self, remains: &OrphanedValues) {
        self.record(|| {
            let state = self.state.borrow();
            let timer = remains.timers.first();
            Record::Cancelled {
                owner: remains.owner,
                timer: timer.map(|(timer, _)| state.timers[*timer].key),
            }
        });
    }

    /// Prints the event that `inspect` shows.
    pub(crate) fn print(&self, inspect: impl FnOnce(&mut dyn FnMut(&dyn Event))) -> String {
        let mut text = String::from("(gone)");
        inspect(&mut |event| text = self.printed(event));
        text
    }

    /// Returns the `Debug` text of a value, whose code can do nothing else meanwhile.
    pub(crate) fn printed(&self, value: &(impl fmt::Debug + ?Sized)) -> String {
        let before = self.phase.replace(CodePhase::Printing);
        let printed = panics::catch(|| printing::bounded(value));
        self.phase.set(before);
        printed.unwrap_or_else(|panic| format!("(its Debug panicked: {})", panic.message))
    }

    /// Records a bug; only the first one of an execution counts.
    pub(crate) fn find(&self, problem: &Problem, location: Option<String>) {
        let step = self.state.borrow().progress.step();
        self.session().find(step, problem, location);
        self.instrumented.set(true);
    }

    /// Counts a run of an actor's code.
    #[inline]
    pub(crate) fn tally(&self, operation: u32, count: impl FnOnce(&mut TypeCoverage)) {
        let state = self.state.borrow();
        let found = state.operations.get(operation);
        if let Some(OperationRole::Actor(of_type)) = found.map(|found| found.kind) {
            count(&mut self.session().tallies[of_type as usize]);
        }
    }

    /// Returns true if the caller may act. A monitor or predicate that tries to is reported.
    #[inline]
    pub(super) fn may_act(&self, what: &str) -> bool {
        let is_running = self.phase.get() == CodePhase::Running;
        if is_running {
            self.spend_call();
        } else {
            self.refuse(what);
        }
        is_running
    }

    #[cold]
    fn refuse(&self, what: &str) {
        if self.phase.get() == CodePhase::Observing {
            self.find(&Problem::MonitorActs { call: what.into() }, None);
        }
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
        let who = self.state.borrow().name(self.current.get());
        let calls = CALLS_MAX;
        std::panic::resume_unwind(Box::new(StoppedHandler(Problem::ManyCalls { who, calls })))
    }

    /// Returns true if the address is of this execution. The execution number is odd for an actor on a node,
    /// so that a send to any other actor needs no further check.
    #[inline]
    pub(crate) fn is_local(&self, address: Address) -> bool {
        address.execution & !1 == self.execution.get()
    }

    /// Returns the operation if the address belongs to this execution.
    #[inline]
    pub(super) fn local(&self, address: Address) -> Option<u32> {
        let local = self.is_local(address);
        if !local && self.phase.get() != CodePhase::Over {
            self.find_foreign();
        }
        local.then_some(address.operation)
    }

    #[cold]
    fn find_foreign(&self) {
        let who = self.state.borrow().name(self.current.get());
        self.find(&Problem::ForeignReference { who }, None);
    }

    /// Puts an event into an actor's mail; returns its slot and its number among the actor's events.
    #[inline]
    pub(super) fn put(&self, to: u32, message: &mut dyn Any) -> Option<(u32, u16)> {
        let arena = self.arena.borrow();
        Some(arena.mail(to)?.put(message))
    }

    pub(crate) fn decide(&self, choice: Choice<'_>) -> u32 {
        let bound = choice.bound();
        if bound == 1 {
            return 0;
        }
        let known = self.answers.borrow_mut().pop_front();
        let answer = known.or_else(|| self.strategy.borrow_mut().strategy_mut().choose(choice));
        let answer = answer.unwrap_or(0);
        let mut state = self.state.borrow_mut();
        let answer = match answer {
            FaultDecision::MARK if state.faults.is_open() => FaultDecision::MARK - 1,
            answer => answer,
        };
        let chosen = answer.min((bound - 1) as u32);
        if answer != chosen {
            let problem = Problem::BadAnswer {
                strategy: self.strategy.borrow().strategy().name(),
                answer,
                bound,
            };
            let step = state.progress.step();
            self.session().find(step, &problem, None);
            self.instrumented.set(true);
        }
        state.progress.add_choices(1);
        state.progress.add_answer(u64::from(chosen) + 1);
        let check = mix(0xc401ce, bound) as u32;
        let current = self.current.get();
        if choice.purpose() != ChoicePurpose::Delivery {
            // The order of a link's deliveries shows in the order of handling.
            state
                .operations
                .extend_chain(current, mix(0xc401ce, u64::from(chosen)));
        }
        state.operations[current].own_run = 0;
        let step = state.progress.step();
        drop(state);
        self.session()
            .tape
            .record(RecordedDecision { chosen, check }, step);
        self.record(|| Record::Chose {
            who: current,
            asked: choice.purpose(),
            of: bound,
            answer: chosen,
        });
        chosen
    }

    pub(crate) fn address(&self, operation: u32) -> Address {
        let is_on_node = self.state.borrow().nodes.node_of(operation).is_some();
        Address {
            operation,
            execution: self.execution.get() | u32::from(is_on_node),
        }
    }
}
