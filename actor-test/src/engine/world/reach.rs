//! What a step has reached beyond its own operation, for strategies that want to know.

use actor_core::generated::Disposition;

use crate::data::bug::BugKind;
use crate::engine::world::operation::{Effect, Kind, STOP, Stage};
use crate::engine::world::state::State;
use crate::strategy::{
    Along, Beyond, Carried, Deferred, Looked, LookedAt, Onlookers, OperationId, Pending,
    PredicateLook, Reached, Step, StepKind,
};

/// What the step in progress has reached. What may count is taken down as it happens, in the rare
/// places where it does; the rest is looked up when the step is over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Somebody wants to know.
    pub(crate) is_wanted: bool,
    /// What it has read or changed that others may change or read.
    beyond: Reached,
    /// What else it has met that is not up to its operation alone; where it is a local step, nobody can
    /// tell all the same when it is taken.
    noted: Reached,
    /// What the effect was that it has carried out.
    carried: Carried,
    /// Who has looked at it: monitors by their numbers, and predicates.
    pub(crate) onlookers: Onlookers,
    /// What became of the monitors among them.
    pub(crate) looked: Vec<Looked>,
    /// At what predicates have looked.
    looks: Vec<PredicateLook>,
    /// Whose next step it has replaced, or would have.
    interrupted: Vec<OperationId>,
    /// Its operation had asks under way when it began.
    awaits: bool,
    /// What rode along with it.
    along: Vec<Along>,
    /// It has looked whether a sleep is over, and it was not.
    sleeps: bool,
    /// It would have cancelled a timer, had that been there.
    cancels: bool,
}

impl Reach {
    /// The step has read or changed what others may change or read.
    #[inline]
    pub(crate) fn add(&mut self, what: Beyond) {
        self.beyond.add(what);
    }

    /// The step has met what is not up to its operation alone.
    #[inline]
    pub(crate) fn note(&mut self, what: Beyond) {
        self.noted.add(what);
    }

    /// Something rides along with the step.
    pub(crate) fn ride(&mut self, what: Along) {
        if self.is_wanted {
            self.along.push(what);
        }
    }

    /// A predicate looks at something.
    pub(crate) fn look(&mut self, predicate: u32, at: LookedAt) {
        if self.is_wanted {
            self.looks.push(PredicateLook { predicate, at });
        }
    }

    /// The step would have cancelled a timer, had that been there.
    pub(crate) fn cancels(&mut self) {
        self.cancels = true;
    }

    /// Somebody has looked whether a sleep is over, and it is not.
    pub(crate) fn sleeps(&mut self) {
        self.sleeps = true;
        self.add(Beyond::Timer);
    }
}

impl State {
    /// A step begins, of which a strategy wants to hear.
    pub(crate) fn begin_reach(&mut self, pending: &Pending) {
        self.reach.beyond = Reached::NOTHING;
        self.reach.noted = Reached::NOTHING;
        self.reach.carried = Carried::Nothing;
        self.reach.onlookers = Onlookers::default();
        self.reach.looked.clear();
        self.reach.looks.clear();
        self.reach.interrupted.clear();
        self.reach.along.clear();
        self.reach.sleeps = false;
        self.reach.cancels = false;
        if pending.operation.is_timer() {
            self.reach.awaits = false;
            let timer = &self.timers.slots[pending.operation.index()];
            if let Some((_, event)) = timer.event {
                self.reach.carried = Carried::Sent(event);
                let owner = timer.owner;
                if self.defers_many(owner) {
                    self.reach.note(Beyond::Defer);
                }
                if self.operations[owner as usize].bound.is_some() {
                    self.reach.note(Beyond::Room);
                }
            }
            return self.reach.note(Beyond::Timer);
        }
        let operation = &self.operations[pending.operation.index()];
        self.reach.awaits = operation.open_asks > 0;
        match pending.kind {
            StepKind::Flush => self.begin_flush(pending.operation.index() as u32),
            _ if operation.bound.is_some() => self.reach.note(Beyond::Room),
            StepKind::Handle if self.defers_many(pending.operation.index() as u32) => {
                self.reach.note(Beyond::Defer);
            }
            _ => {}
        }
    }

    /// A step begins that carries out an effect, and what rides along.
    fn begin_flush(&mut self, index: u32) {
        let Some(effect) = self.operations[index as usize].outbox.first().copied() else {
            return;
        };
        let (carried, met) = match effect {
            Effect::Send { to, letter } => {
                let receiver = &self.operations[to as usize];
                let met = match () {
                    () if letter.event == STOP => Some(Beyond::Stop),
                    () if receiver.bound.is_some() => Some(Beyond::Room),
                    () if self.defers_many(to) => Some(Beyond::Defer),
                    () if self.nodes.apart(index, to).is_some() => Some(Beyond::Node),
                    () => None,
                };
                (Carried::Sent(letter.event), met)
            }
            Effect::Start(started) => {
                let path = self.operations[started as usize].key;
                (Carried::Started(path, self.put_off(started)), None)
            }
            Effect::Reply { ask, lost } => {
                let asker = self.asks[ask as usize].asker;
                let path = self.operations[asker as usize].key;
                (Carried::Replied(path), lost.map(|_| Beyond::Ask))
            }
            Effect::Halt(_) => (Carried::Halted, None),
            Effect::Notice { .. } => (Carried::Nothing, Some(Beyond::Watch)),
            Effect::Stop { .. } => (Carried::Nothing, Some(Beyond::Stop)),
            Effect::Decide { .. } => (Carried::Nothing, Some(Beyond::Supervision)),
            Effect::Share { .. } => (Carried::Nothing, Some(Beyond::Link)),
            Effect::Ask(_) => (Carried::Nothing, Some(Beyond::Room)),
            Effect::Disk(_) | Effect::FailPower { .. } => (Carried::Nothing, Some(Beyond::Disk)),
            Effect::Cross { .. } | Effect::Mishap(_) => (Carried::Nothing, Some(Beyond::Node)),
            // Silent ones say so themselves.
            _ => (Carried::Nothing, None),
        };
        self.reach.carried = carried;
        if let Some(met) = met {
            self.reach.note(met);
        }
    }

    /// The operation defers events, of more than can be told apart.
    fn defers_many(&self, operation: u32) -> bool {
        self.operations[operation as usize].defers
            && self
                .info(operation)
                .is_some_and(|info| info.events.len() > Deferred::EVENTS_MAX)
    }

    /// Which events the operation's state puts off.
    fn put_off(&self, operation: u32) -> Deferred {
        match self.info(operation) {
            Some(info) if info.defers => {
                let is_deferred = |event| self.disposition(operation, event) == Disposition::Defer;
                Deferred::of(is_deferred, info.events.len())
            }
            _ => Deferred::default(),
        }
    }

    /// What becomes of an operation next is not up to itself.
    pub(crate) fn interrupt(&mut self, operation: u32, what: Beyond) {
        self.reach.add(what);
        if self.reach.is_wanted {
            self.reach.interrupted.push(OperationId::actor(operation));
        }
    }

    /// The execution may end here, whatever anyone would do next.
    pub(crate) fn interrupt_all(&mut self, what: Beyond) {
        for operation in 0..self.live as u32 {
            self.interrupt(operation, what);
        }
    }

    /// Somebody is set to look on. What was not seen since it came before might have come after.
    pub(crate) fn reach_onlooker(&mut self) {
        if self.step > 1 {
            self.interrupt_all(Beyond::Onlooker);
        }
    }

    /// What is carried out at once by an operation of that kind, and what ends with others.
    fn kind_reaches(&self, index: usize, runs: bool) -> (bool, Option<Beyond>) {
        match self.operations[index].kind {
            Kind::Actor(_) => (!runs && self.atomic_handlers, None),
            Kind::Body => (runs, None),
            Kind::Future { .. } => (runs, Some(Beyond::Future)),
            Kind::Task => (runs, Some(Beyond::Task)),
            Kind::Boot { .. } | Kind::Link(_) => (runs, Some(Beyond::Node)),
        }
    }

    /// What a step was, once it is over.
    pub(crate) fn end_reach(
        &self,
        pending: Pending,
        bug: Option<BugKind>,
        has_predicates: bool,
    ) -> Step<'_> {
        let Reach {
            beyond,
            noted,
            carried,
            onlookers,
            looked,
            looks,
            interrupted,
            awaits,
            along,
            sleeps,
            cancels,
            ..
        } = &self.reach;
        let index = pending.operation.index();
        let runs = pending.kind != StepKind::Flush;
        // What is carried out at once, and what ends with others.
        let (is_bound, kind) = match () {
            () if pending.operation.is_timer() => (true, Some(Beyond::Timer)),
            () => self.kind_reaches(index, runs),
        };
        // What predicates see is changed by who runs, begins and ends.
        let mut onlookers = *onlookers;
        let is_seen = runs || matches!(carried, Carried::Started(..) | Carried::Halted);
        if has_predicates && is_seen {
            onlookers.add_predicates();
        }
        let mut reached = beyond.without_onlookers().and(*noted);
        if *awaits && runs {
            reached.add(Beyond::Ask);
        }
        if let Some(kind) = kind {
            reached.add(kind);
        }
        Step {
            pending,
            is_local: pending.may_be_local()
                && !(!beyond.is_nothing() || *awaits && runs || is_bound || bug.is_some()),
            interrupted,
            reached,
            carried: *carried,
            onlookers,
            looked,
            looks,
            defers: match pending.operation.is_timer() {
                true => Deferred::default(),
                false => self.put_off(index as u32),
            },
            along,
            is_suspended: !pending.operation.is_timer()
                && self.operations[index].stage == Stage::Suspended,
            sleeps: *sleeps,
            cancels: *cancels,
            bug,
            led_to: None,
        }
    }
}
