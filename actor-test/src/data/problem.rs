//! Problems: what an execution did wrong, as data; their sentences are in `report::words`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::data::bug::{BugKind, Cycle};
use crate::data::story::Temperature;

/// A problem that the engine reports as a bug. The names are those of operations and events in stories.
#[derive(Clone, Debug)]
pub(crate) enum Problem {
    /// A handler, a hook or the test body panicked.
    Panicked { who: String, message: String },
    /// A destructor panicked.
    DropPanicked { message: String, after_end: bool },
    /// The script of a fault panicked.
    ScriptPanicked { message: String },
    /// A predicate panicked.
    PredicatePanicked { name: String, message: String },
    /// Code outside the engine panicked with a sentence and a kind of its own.
    Raised { kind: BugKind, message: String },
    /// A monitor's assertion failed.
    MonitorFailed { name: String, message: String },
    /// An `always` predicate was false, with what it said.
    AlwaysFalse { name: String, said: Option<String> },
    /// The receiver neither handles, defers nor ignores an event.
    Unhandled {
        who: String,
        state: Option<&'static str>,
        event: String,
    },
    /// A handler returned an error that no caller receives.
    UnreceivedError { who: String, error: String },
    /// A supervised actor used up its restarts.
    GivenUp {
        who: String,
        limit: String,
        last: LastFailure,
    },
    /// Each handler of a cycle awaits the reply of the next.
    CycleOfAsks {
        who: Vec<String>,
        calls: Vec<AskCall>,
    },
    /// Nothing can run, and these wait.
    Deadlock { waits: Vec<Wait> },
    /// A wait has lasted longer than the threshold, and so have others.
    LongWait {
        wait: Wait,
        steps: u64,
        threshold: u64,
        since: u64,
        others: Vec<Wait>,
    },
    /// A deferred event was left at the end.
    LeftDeferred {
        who: String,
        state: &'static str,
        count: u64,
        first: &'static str,
    },
    /// A deferred event was not taken for longer than the threshold.
    LongDeferred {
        who: String,
        state: &'static str,
        event: &'static str,
        steps: u64,
        threshold: u64,
    },
    /// An actor handled nothing but its own events.
    SelfSending { who: String, events: u64 },
    /// An operation reads again and again what nobody changes.
    Spins {
        who: String,
        place: String,
        reads: u32,
    },
    /// Two unordered accesses to the same memory.
    DataRace {
        cell: ObjectName,
        now: RacingUse,
        before: RacingUse,
    },
    /// The execution ended while an obligation was pending.
    PendingAtEnd {
        obligation: ObligationDetails,
        since: u64,
    },
    /// An obligation stays pending.
    StaysPending {
        obligation: ObligationDetails,
        since: u64,
        evidence: Evidence,
    },
    /// A node was started too often.
    StartedOften { node: String, starts: u32 },
    /// A handler sent, chose or armed too often.
    ManyCalls { who: String, calls: u32 },
    /// A handler blocks, and has no stack of its own.
    BlocksWithoutStack {
        who: String,
        object: AwaitedObject,
        place: String,
    },
    /// There is no memory for the stack of a task or a thread.
    NoStack { error: String },
    /// A monitor or predicate called what it may not.
    MonitorActs { call: String },
    /// A monitor or predicate waits for a lock.
    MonitorWaits,
    /// The strategy picked an operation that does not exist.
    BadPick {
        strategy: String,
        position: usize,
        enabled: usize,
    },
    /// The strategy gave an answer that does not exist.
    BadAnswer {
        strategy: String,
        answer: u32,
        bound: u64,
    },
    /// The strategy let a fault strike within a step in a way that does not exist.
    BadFaultWithin {
        strategy: String,
        answer: u32,
        ways: u32,
    },
    /// The strategy asked for a fault between steps that does not exist.
    BadFaultBetween {
        strategy: String,
        number: u32,
        faults: usize,
    },
    /// The program used what needs a tokio runtime.
    NeedsTokio { who: String, message: String },
    /// A future was woken from outside.
    WokenFromOutside,
    /// Nothing in the test will complete a wait, and nothing can run.
    AwaitsOutside { who: String },
    /// A reference from another execution was used.
    ForeignReference { who: String },
    /// An event or a reply can't be sent to another node.
    CannotCross {
        who: String,
        what: Crossing,
        why: CrossingFailure,
    },
    /// The program named a node in a way that it may not.
    BadNode(BadNode),
}

/// The failure after which a supervised actor is given up.
#[derive(Clone, Debug)]
pub(crate) enum LastFailure {
    Panicked { who: String, message: String },
    Failed { message: String },
    Halted,
}

/// An operation and all that it awaits; the list is empty if nothing in the test completes the wait.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wait {
    pub(crate) who: String,
    pub(crate) awaits: AwaitedList,
}

/// All that an operation awaits from others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AwaitedList(pub(crate) Vec<Awaited>);

impl AwaitedList {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// One of the things that an operation awaits from others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Awaited {
    Name { name: String },
    Start { of: String },
    End { of: String },
    Reply { of: String, call: Option<AskCall> },
    Room { of: String },
    LinkRoom { link: String },
    Event { name: String },
    Object(AwaitedObject),
}

/// The call of an `ask`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AskCall {
    pub(crate) event: String,
    /// The place in the source.
    pub(crate) place: String,
}

/// The name of a shared object: `Mutex#2 of src/lib.rs:4:7`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ObjectName {
    pub(crate) kind: String,
    /// The number among the objects of that kind and place, from one, in the order in which the execution came
    /// to them; `None` for the only one.
    pub(crate) number: Option<u32>,
    /// The place in the source where it was made.
    pub(crate) made: String,
}

/// A shared object that an operation waits for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AwaitedObject {
    pub(crate) name: ObjectName,
    pub(crate) holders: Vec<Holder>,
    /// The operation that waits before it, to hold the object alone.
    pub(crate) behind: Option<String>,
}

/// An operation that holds what another waits for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Holder {
    /// The operation that waits.
    Itself,
    Other(String),
}

/// One of the accesses of a data race.
#[derive(Clone, Debug)]
pub(crate) struct RacingUse {
    pub(crate) who: String,
    pub(crate) writes: bool,
    pub(crate) place: String,
}

/// A pending obligation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum ObligationDetails {
    Monitor {
        name: String,
        temperature: Temperature,
        state: String,
    },
    /// An `eventually` that was never true, with what it said.
    Eventually {
        name: String,
        said: Option<String>,
    },
    /// An `always_eventually` that is false, with what it said.
    AlwaysEventually {
        name: String,
        said: Option<String>,
    },
    Wait(Wait),
}

/// The reason why an obligation is taken to be pending for ever.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Evidence {
    /// The temperature has exceeded the threshold; perhaps a cycle was seen.
    Heat {
        temperature: u64,
        threshold: u64,
        cycle: Option<Cycle>,
    },
    /// A state search found the cycle.
    Cycle(Cycle),
    /// No step leads out of the states around the cycle.
    Closed { cycle: Cycle, states: u64 },
}

/// A value that is sent to another node.
#[derive(Clone, Debug)]
pub(crate) enum Crossing {
    Event { event: &'static str, to: String },
    Reply,
}

/// The reason why a value can't be sent to another node.
#[derive(Clone, Debug)]
pub(crate) enum CrossingFailure {
    Error(String),
    Panicked { message: String },
}

/// A use of a node's name that is no use of a node.
#[derive(Clone, Debug)]
pub(crate) enum BadNode {
    /// There is one of that name.
    Exists { name: String },
    /// The name is empty or has a slash.
    Malformed { name: String },
    /// There is none of that name, but there are these.
    Unknown { name: String, known: Vec<String> },
    /// A link from a node to itself.
    Itself { name: String },
}

/// The actor with unread events that no actor will handle, at the end of an execution.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Unread {
    In {
        who: String,
        count: u64,
        first: String,
    },
    /// Events that have not arrived.
    Underway { count: u64 },
}

/// A periodic timer that ran up to the fair bound.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Restless {
    pub(crate) who: String,
    /// The event and its period; `None` for an interval that is awaited.
    pub(crate) gets: Option<(String, Duration)>,
    pub(crate) why: NoEnd,
}

/// The reason why a periodic timer did not end the execution.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum NoEnd {
    OtherTimers,
    SomeoneAwaits,
    ObligationPending,
    NoPause,
}

impl Problem {
    /// Returns the kind of bug.
    pub(crate) fn kind(&self) -> BugKind {
        match self {
            Self::Panicked { .. }
            | Self::DropPanicked { .. }
            | Self::ScriptPanicked { .. }
            | Self::PredicatePanicked { .. } => BugKind::Panic,
            Self::Raised { kind, .. } => *kind,
            Self::MonitorFailed { .. } => BugKind::Monitor,
            Self::AlwaysFalse { .. } => BugKind::Invariant,
            Self::Unhandled { .. } => BugKind::Unhandled,
            Self::UnreceivedError { .. } => BugKind::UnreceivedError,
            Self::GivenUp { .. } => BugKind::Exhausted,
            Self::LongWait { wait, .. } if wait.awaits.is_empty() => BugKind::OutsideWait,
            Self::CycleOfAsks { .. } | Self::Deadlock { .. } | Self::LongWait { .. } => {
                BugKind::Deadlock
            }
            Self::LeftDeferred { .. } | Self::LongDeferred { .. } => BugKind::DeferredForever,
            Self::SelfSending { .. } | Self::Spins { .. } => BugKind::Spin,
            Self::DataRace { .. } => BugKind::DataRace,
            Self::PendingAtEnd { .. } => BugKind::HotAtEnd,
            Self::StaysPending { .. } => BugKind::Liveness,
            Self::StartedOften { .. } => BugKind::EndlessChain,
            Self::ManyCalls { .. } | Self::BlocksWithoutStack { .. } => BugKind::Hang,
            Self::NoStack { .. } => BugKind::Crash,
            Self::MonitorActs { .. } | Self::MonitorWaits => BugKind::MonitorActs,
            Self::BadPick { .. }
            | Self::BadAnswer { .. }
            | Self::BadFaultWithin { .. }
            | Self::BadFaultBetween { .. } => BugKind::Strategy,
            Self::NeedsTokio { .. } | Self::WokenFromOutside | Self::AwaitsOutside { .. } => {
                BugKind::OutsideWait
            }
            Self::ForeignReference { .. } => BugKind::ForeignReference,
            Self::CannotCross { .. } => BugKind::CannotCross,
            Self::BadNode(_) => BugKind::Node,
        }
    }
}
