//! What the run loop and the actors under test share: [`Shared`].

use std::cell::{Cell, RefCell, RefMut};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use actor_core::generated::Moment;
use actor_core::runtime::{Address, Script};
use actor_core::{AskError, Event};

use crate::data::bug::BugKind;
use crate::data::records::Record;
use crate::data::story::Asked;
use crate::engine::arena::Arena;
use crate::engine::panics::{self, CallLimitExceeded};
use crate::engine::recording::printing;
use crate::engine::recording::tape::RecordedDecision;
use crate::engine::seam::tasks::TaskStacks;
use crate::engine::session::EngineSession;
use crate::engine::watching::specifications::Specifications;
use crate::engine::watching::tally::TypeCoverage;
use crate::engine::world::endings::OrphanedValues;
use crate::engine::world::numbering::NumbersSeen;
use crate::engine::world::operation::OperationRole;
use crate::engine::world::state::ExecutionState;
use crate::engine::world::wake::WakeList;
use crate::hash::mix;
use crate::strategy::{Choice, FaultDecision, Strategy};

/// How many times one step may act on the world before it counts as one that does not return.
pub(crate) const CALLS_MAX: u32 = 1_000_000;

/// What runs now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CodePhase {
    /// A handler, a hook or the test body.
    Running,
    /// A monitor, a predicate or a fingerprint: it may look, not act.
    Looking,
    /// A `Debug`, since the execution is recorded: whatever it calls does nothing, and leaves no trace.
    Printing,
    /// A `Serialize` or a `Deserialize`, on the way to another node: as for a `Debug`.
    Crossing,
    /// A destructor, since a node crashes: whatever it does is not done.
    Crashing,
    /// The execution is over; destructors send into nothing.
    Over,
}

/// What the run loop and the actors under test share.
///
/// Nothing in it is borrowed while a user's code runs.
pub(crate) struct ControlledRuntime {
    /// What belongs to the execution.
    pub(crate) state: RefCell<ExecutionState>,
    /// What is the user's, and what is used again.
    pub(crate) workshop: RefCell<Arena>,
    /// What is told of executions, and what is known over all of them.
    pub(crate) session: RefCell<EngineSession>,
    pub(crate) strategy: RefCell<Box<dyn Strategy>>,
    pub(crate) specifications: RefCell<Specifications>,
    /// What goes wrong as soon as a predicate is true, by the predicate's number.
    pub(crate) scripts: RefCell<Vec<(u32, Script)>>,
    pub(crate) phase: Cell<CodePhase>,
    pub(crate) current: Cell<u32>,
    pub(crate) execution: Cell<u32>,
    /// Why a reply that is dropped now is lost.
    pub(crate) loss: Cell<AskError>,
    /// What is dropped now is lost without a word to who asked.
    pub(crate) drops_silently: Cell<bool>,
    pub(crate) calls: Cell<u32>,
    /// Something is to be looked at before the next step: a bug that was found, who wants to hear of
    /// steps, periodic timers, the end that the program has asked for.
    pub(crate) attention: Cell<bool>,
    /// Actors or futures were created in the step in progress.
    pub(crate) has_spawned: Cell<bool>,
    /// What happens is recorded. Nothing else depends on it.
    pub(crate) recorded: Cell<bool>,
    /// The moments at which events are shown: some monitor observes some, or they are recorded.
    pub(crate) shown: Cell<[bool; 3]>,
    /// Faults may come.
    pub(crate) may_fail: Cell<bool>,
    /// A fault may have a mailbox take nothing.
    pub(crate) may_refuse: Cell<bool>,
    /// Some predicate is registered.
    pub(crate) has_predicates: Cell<bool>,
    /// Actors are shown after a step: to predicates, or since they are recorded.
    pub(crate) shows_actors: Cell<bool>,
    /// What monitors and predicates see is kept, as a hash.
    pub(crate) keeps_view: Cell<bool>,
    /// Who was woken.
    pub(crate) wake_list: Arc<WakeList>,
    /// What runs on stacks of its own.
    pub(crate) tasks: RefCell<TaskStacks>,
    /// The test body needs one, and is run again.
    pub(crate) wants_stack: Cell<bool>,
    /// How often the program has looked at the numbers of actors.
    pub(crate) numbers_seen: Cell<NumbersSeen>,
    /// The answers to the choices of a body that is run again.
    pub(crate) answers: RefCell<VecDeque<u32>>,
}

impl ControlledRuntime {
    pub(crate) fn new(strategy: Box<dyn Strategy>) -> Self {
        Self {
            state: RefCell::default(),
            workshop: RefCell::default(),
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
            attention: Cell::new(true),
            has_spawned: Cell::new(false),
            recorded: Cell::new(false),
            shown: Cell::new([false; 3]),
            may_fail: Cell::new(false),
            may_refuse: Cell::new(false),
            has_predicates: Cell::new(false),
            shows_actors: Cell::new(false),
            keeps_view: Cell::new(false),
            wake_list: WakeList::new(),
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
    pub(crate) fn workshop(&self) -> RefMut<'_, Arena> {
        self.workshop.borrow_mut()
    }

    #[inline]
    pub(crate) fn is_recorded(&self) -> bool {
        self.recorded.get()
    }

    /// Somebody may look at an event at that moment.
    #[inline]
    pub(crate) fn shows(&self, moment: Moment) -> bool {
        self.shown.get()[moment as usize]
    }

    /// Monitors observe events at those moments.
    pub(crate) fn show_at(&self, moments: [bool; 3]) {
        let is_recorded = self.is_recorded();
        self.shown.set(moments.map(|moment| moment || is_recorded));
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

    pub(crate) fn record_cancelled(&self, remains: &OrphanedValues) {
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
        let mut text = String::from("(gone)");
        inspect(&mut |event| text = self.printed(event));
        text
    }

    /// What the `Debug` of a value prints, which can do nothing else meanwhile.
    pub(crate) fn printed(&self, value: &(impl fmt::Debug + ?Sized)) -> String {
        let before = self.phase.replace(CodePhase::Printing);
        let printed = panics::catch(|| printing::bounded(value));
        self.phase.set(before);
        printed.unwrap_or_else(|panic| format!("(its Debug panicked: {})", panic.message))
    }

    /// Takes note of a bug; the first one of an execution counts.
    pub(crate) fn find(&self, kind: BugKind, message: String, location: Option<String>) {
        let step = self.state.borrow().step;
        self.session().find(step, kind, message, location);
        self.attention.set(true);
    }

    /// Counts what an actor runs.
    #[inline]
    pub(crate) fn tally(&self, operation: u32, count: impl FnOnce(&mut TypeCoverage)) {
        let state = self.state.borrow();
        let found = state.operations.get(operation as usize);
        if let Some(OperationRole::Actor(of_type)) = found.map(|found| found.kind) {
            count(&mut self.session().tallies[of_type as usize]);
        }
    }

    /// Whether the caller may act. A monitor or predicate that tries is reported.
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
        if self.phase.get() == CodePhase::Looking {
            self.find_looker(what);
        }
    }

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
        std::panic::resume_unwind(Box::new(CallLimitExceeded(format!(
            "a handler of `{name}` does not return: it sent, chose or armed {CALLS_MAX} times"
        ))))
    }

    /// The address is of this execution: of an actor on no node, or by an odd number of one on a node,
    /// so that who sends to the former asks for nothing more.
    #[inline]
    pub(crate) fn is_local(&self, address: Address) -> bool {
        address.execution & !1 == self.execution.get()
    }

    /// The operation, if the address belongs to this execution.
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
        let known = self.answers.borrow_mut().pop_front();
        let answer = known.unwrap_or_else(|| {
            let mut strategy = self.strategy.borrow_mut();
            strategy.next_choice_purpose(asked);
            strategy.choose(choice)
        });
        let mut state = self.state.borrow_mut();
        let answer = match answer {
            FaultDecision::MARK if state.faults.is_open() => FaultDecision::MARK - 1,
            answer => answer,
        };
        let chosen = answer.min((bound - 1) as u32);
        if answer != chosen {
            let name = self.strategy.borrow().name();
            let message = format!("`{name}` answered {answer} to a choice below {bound}");
            let step = state.step;
            self.session().find(step, BugKind::Strategy, message, None);
            self.attention.set(true);
        }
        state.choices += 1;
        state.answers = mix(state.answers, u64::from(chosen) + 1);
        let check = mix(0xc401ce, bound) as u32;
        let current = self.current.get();
        if asked != Asked::Delivery {
            // What a link delivers first is seen by who handles it first.
            state.extend_chain(current, mix(0xc401ce, u64::from(chosen)));
        }
        state.operations[current as usize].own_run = 0;
        let step = state.step;
        drop(state);
        self.session()
            .tape
            .record(RecordedDecision { chosen, check }, step);
        self.record(|| Record::Chose {
            who: current,
            asked,
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
