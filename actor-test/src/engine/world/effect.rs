//! Effects: everything that an operation does to the world, and the facts about each kind of effect.
//!
//! An effect waits in the outbox of its operation, and the run loop carries it out. The enabled set, links
//! between nodes, footprints, fingerprints and symmetry ask an effect for its [facts](EffectFacts), and know
//! no kind of effect themselves.

use actor_core::supervision::Decision;
use actor_core::{AskError, StopReason};

use crate::data::constructs::StepConstruct;
use crate::data::snapshot::Outgoing;
use crate::engine::world::letter::Envelope;
use crate::engine::world::network::LinkHint;
use crate::engine::world::state::ExecutionState;
use crate::strategy::EventId;

/// An effect in an outbox, which is still to be carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Appends a letter to an inbox.
    Send { to: u32, letter: Envelope },
    /// Sends a letter to another node, over that link.
    Cross {
        to: u32,
        link: LinkHint,
        letter: Envelope,
    },
    /// Injects or undoes a fault, as a script says.
    Fault(u32),
    /// Requests capacity in a bounded mailbox.
    RequestCapacity(u32),
    /// Calls a disk.
    Disk(u32),
    /// Fails the power of a disk.
    FailPower { disk: u32 },
    /// Silent: from now on, a crash keeps writes to a disk in blocks.
    TearWrites { disk: u32, block: u32 },
    /// Starts a spawned operation.
    Start(u32),
    /// Delivers the reply of an ask, or its loss.
    Reply { ask: u32, lost: Option<AskError> },
    /// Uses the registry of names. Silent if the actor was just spawned that is registered.
    Name { name_use: u32, with_spawn: bool },
    /// Notifies a watcher.
    Notice { watch: u32 },
    /// Ends the operation itself.
    Halt(StopReason),
    /// Stops another operation.
    Stop { to: u32, at_once: bool },
    /// Silent: shows an event to the monitors.
    Announce { slab: u32, slot: u32 },
    /// Silent: arms a timer.
    Arm { timer: u32, generation: u32 },
    /// Silent: cancels a timer.
    Cancel { timer: u32, generation: u32 },
    /// Silent: begins a watch.
    Watch { watch: u32 },
    /// Silent: ends the watches of that target whose numbers are below `before`.
    Unwatch { target: u32, before: u32 },
    /// Silent: begins a link.
    Link { other: u32 },
    /// Silent: ends all links with that actor.
    Unlink { other: u32 },
    /// Silent: takes a dropped reference to an actor off its reference count.
    DropReference { to: u32 },
    /// Silent: requests the end of the execution.
    Finish,
    /// Carries out a supervisor's decision on a failed child.
    Decide { child: u32, decision: Decision },
    /// Makes an actor share a failure, if it is still in that incarnation.
    Share {
        to: u32,
        life: u32,
        reason: StopReason,
    },
}

impl Effect {
    /// Returns whether the effect is carried out in the same step as the visible effect or handler before it.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(
            self,
            Self::Announce { .. }
                | Self::Arm { .. }
                | Self::Cancel { .. }
                | Self::Watch { .. }
                | Self::Unwatch { .. }
                | Self::Link { .. }
                | Self::Unlink { .. }
                | Self::TearWrites { .. }
                | Self::DropReference { .. }
                | Self::Finish
                | Self::Name {
                    with_spawn: true,
                    ..
                }
        )
    }
}

/// The facts about one effect of an operation.
pub(crate) struct EffectFacts<'a> {
    /// The operation whose inbox strategies see in the step that carries out the effect.
    pub(crate) inbox: Option<u32>,
    /// The event that strategies see.
    pub(crate) event: Option<EventId>,
    /// The key of the message that strategies see.
    pub(crate) message: Option<u64>,
    /// The operation to which the effect travels over a link, if it is on another node.
    pub(crate) travels_to: Option<u32>,
    /// The operations that the effect changes, besides its own.
    pub(crate) touches: Touches,
    /// The share of the effect in the footprint of its step. Silent effects have none: the parts of the state
    /// record the access when the effect is carried out.
    pub(crate) reach: Reach,
    /// The first number of the effect in the fingerprint of a state.
    pub(crate) tag: EffectTag,
    /// The second number of the effect in the fingerprint of a state.
    pub(crate) subject: Subject,
    /// The rest of the effect in the fingerprint of a state.
    pub(crate) detail: Detail<'a>,
    /// True if the fingerprint stays the same when interchangeable actors change their names.
    pub(crate) is_symmetric: bool,
}

/// The operations that an effect changes, besides its own.
#[derive(Clone, Copy)]
pub(crate) enum Touches {
    Nothing,
    One(u32),
    /// The futures of the effect's own operation.
    Futures,
    All,
}

/// The share of a visible effect in the footprint of its step.
#[derive(Clone, Copy)]
pub(crate) enum Reach {
    Nothing,
    /// The effect meets a construct.
    Construct(StepConstruct),
    /// An event is appended to the inbox of `to`.
    Sent {
        to: u32,
        event: u16,
    },
    /// The spawned operation may take its first step.
    Started(u32),
    /// A reply, or its loss, is delivered to an asker.
    Replied {
        asker: u32,
        is_lost: bool,
    },
    /// The operation ends.
    Halted,
    /// A message is put on a link.
    Leaves,
}

/// The subject of an effect in a fingerprint.
#[derive(Clone, Copy)]
pub(crate) enum Subject {
    /// An operation, which may have another name.
    Operation(u32),
    Number(u32),
    /// A number that is used once, so that the state never recurs.
    Once(u32),
}

/// Further parts of an effect in a fingerprint.
#[derive(Clone, Copy)]
pub(crate) enum Detail<'a> {
    Nothing,
    Number(u64),
    /// A letter in the mail of an operation.
    Letter(u32, &'a Envelope),
    DiskCall(u32),
    /// The timer in a slot, if it is of that generation.
    Timer(u32, u32),
    /// The mark of the timer in a slot, if it is of that generation.
    TimerMark(u32, u32),
    /// An announced event, whose type is not known.
    Announced,
}

/// The facts about an effect that is silent and concerns no other operation.
const PLAIN: EffectFacts<'static> = EffectFacts {
    inbox: None,
    event: None,
    message: None,
    travels_to: None,
    touches: Touches::Nothing,
    reach: Reach::Nothing,
    tag: EffectTag::Finish,
    subject: Subject::Number(0),
    detail: Detail::Nothing,
    is_symmetric: false,
};

/// Returns the facts about an effect that goes to an operation, over the link if that is on another node.
const fn goes_to(to: u32, construct: StepConstruct) -> EffectFacts<'static> {
    EffectFacts {
        inbox: Some(to),
        travels_to: Some(to),
        touches: Touches::One(to),
        reach: Reach::Construct(construct),
        ..PLAIN
    }
}

impl Effect {
    /// Returns the facts about an effect of `by`.
    #[inline]
    pub(crate) fn facts(&self, by: u32, state: &ExecutionState) -> EffectFacts<'_> {
        match self {
            Self::Send { to, letter } => EffectFacts {
                inbox: Some(*to),
                event: letter.event_id,
                message: Some(letter.key),
                travels_to: Some(*to),
                touches: Touches::One(*to),
                reach: Reach::Sent {
                    to: *to,
                    event: letter.event,
                },
                tag: EffectTag::Send,
                subject: Subject::Operation(*to),
                detail: Detail::Letter(*to, letter),
                is_symmetric: true,
            },
            // Carrying out the effect puts the letter on the link, which is an operation.
            Self::Cross { to, link, letter } => EffectFacts {
                inbox: Some(state.nodes.hinted_operation(*link, by, *to)),
                event: letter.event_id,
                message: Some(letter.key),
                touches: Touches::One(*to),
                reach: Reach::Leaves,
                tag: EffectTag::Cross,
                subject: Subject::Operation(*to),
                detail: Detail::Letter(*to, letter),
                ..PLAIN
            },
            Self::Fault(number) => EffectFacts {
                touches: Touches::All,
                reach: Reach::Construct(StepConstruct::Node),
                tag: EffectTag::NodeFault,
                subject: Subject::Once(*number),
                ..PLAIN
            },
            Self::RequestCapacity(question) => {
                let question = &state.requests.capacity[*question];
                EffectFacts {
                    inbox: Some(question.target),
                    event: question.event_id,
                    message: Some(question.key),
                    touches: Touches::One(question.target),
                    reach: Reach::Construct(StepConstruct::Room),
                    tag: EffectTag::of_request(question.waits),
                    subject: Subject::Operation(question.target),
                    ..PLAIN
                }
            }
            Self::Disk(call) => {
                let record = state.disks.call(*call);
                EffectFacts {
                    inbox: state.disks.meets_at(record.disk),
                    touches: Touches::One(record.caller),
                    reach: Reach::Construct(StepConstruct::Disk),
                    tag: EffectTag::Disk,
                    subject: Subject::Number(record.disk),
                    detail: Detail::DiskCall(*call),
                    ..PLAIN
                }
            }
            Self::FailPower { disk } => EffectFacts {
                inbox: state.disks.meets_at(*disk),
                reach: Reach::Construct(StepConstruct::Disk),
                tag: EffectTag::FailPower,
                subject: Subject::Number(*disk),
                ..PLAIN
            },
            Self::TearWrites { disk, block } => EffectFacts {
                tag: EffectTag::TearWrites,
                subject: Subject::Number(*disk),
                detail: Detail::Number(u64::from(*block)),
                ..PLAIN
            },
            Self::Start(started) => EffectFacts {
                touches: Touches::One(*started),
                reach: Reach::Started(*started),
                tag: EffectTag::Start,
                subject: Subject::Operation(*started),
                is_symmetric: true,
                ..PLAIN
            },
            // An ask keeps its number while an operation waits for it.
            Self::Reply { ask, lost } => {
                let asked = &state.requests.asks[*ask];
                let is_lost = lost.is_some();
                let link = state.nodes.link_operation(by, asked.asker);
                EffectFacts {
                    inbox: Some(link.unwrap_or(asked.asker)),
                    message: Some(asked.key),
                    travels_to: Some(asked.asker),
                    touches: Touches::One(asked.asker),
                    reach: match link {
                        Some(_) => Reach::Leaves,
                        None => Reach::Replied {
                            asker: asked.asker,
                            is_lost,
                        },
                    },
                    tag: EffectTag::of_reply(is_lost),
                    subject: Subject::Number(*ask),
                    ..PLAIN
                }
            }
            Self::Name { name_use, .. } => EffectFacts {
                travels_to: state
                    .names
                    .target_of_lookup(*name_use, &state.requests.asks),
                touches: Touches::One(by),
                reach: Reach::Construct(StepConstruct::Names),
                tag: EffectTag::Name,
                detail: Detail::Number(state.names.print_use(*name_use)),
                ..PLAIN
            },
            Self::Notice { watch } => {
                let watch = &state.relations.watches[*watch];
                EffectFacts {
                    message: Some(watch.key),
                    tag: EffectTag::Notice,
                    subject: Subject::Number(watch.watcher),
                    ..goes_to(watch.watcher, StepConstruct::Watch)
                }
            }
            // The operation closes its inbox, so later letters to it are lost.
            Self::Halt(reason) => EffectFacts {
                inbox: Some(by),
                touches: Touches::Futures,
                reach: Reach::Halted,
                tag: EffectTag::Halt,
                subject: Subject::Number(reason_number(*reason) as u32),
                is_symmetric: true,
                ..PLAIN
            },
            Self::Stop { to, at_once } => EffectFacts {
                tag: EffectTag::of_stop(*at_once),
                subject: Subject::Operation(*to),
                is_symmetric: true,
                ..goes_to(*to, StepConstruct::Stop)
            },
            Self::Announce { .. } => EffectFacts {
                tag: EffectTag::Announce,
                detail: Detail::Announced,
                ..PLAIN
            },
            // The owner is mostly `by` itself.
            Self::Arm { timer, generation } => EffectFacts {
                touches: Touches::One(state.timers[*timer].owner),
                tag: EffectTag::Arm,
                detail: Detail::Timer(*timer, *generation),
                is_symmetric: true,
                ..PLAIN
            },
            Self::Cancel { timer, generation } => EffectFacts {
                tag: EffectTag::Cancel,
                detail: Detail::TimerMark(*timer, *generation),
                is_symmetric: true,
                ..PLAIN
            },
            Self::Watch { watch } => {
                let watch = &state.relations.watches[*watch];
                EffectFacts {
                    touches: Touches::One(watch.watcher),
                    tag: EffectTag::Watch,
                    subject: Subject::Number(watch.target),
                    ..PLAIN
                }
            }
            // The effects behind this one show which watches are later.
            Self::Unwatch { target, .. } => EffectFacts {
                tag: EffectTag::Unwatch,
                subject: Subject::Number(*target),
                ..PLAIN
            },
            Self::Link { other } => EffectFacts {
                tag: EffectTag::Link,
                subject: Subject::Number(*other),
                ..PLAIN
            },
            Self::Unlink { other } => EffectFacts {
                tag: EffectTag::Unlink,
                subject: Subject::Number(*other),
                ..PLAIN
            },
            Self::DropReference { to } => EffectFacts {
                touches: Touches::One(*to),
                tag: EffectTag::DropReference,
                subject: Subject::Operation(*to),
                is_symmetric: true,
                ..PLAIN
            },
            Self::Finish => PLAIN,
            Self::Decide { child, decision } => EffectFacts {
                tag: EffectTag::Decide,
                subject: Subject::Number(*child),
                detail: Detail::Number(*decision as u64),
                ..goes_to(*child, StepConstruct::Supervision)
            },
            Self::Share { to, life, reason } => EffectFacts {
                tag: EffectTag::of_share(*reason),
                subject: Subject::Number(*to),
                detail: Detail::Number(u64::from(*life)),
                ..goes_to(*to, StepConstruct::Link)
            },
        }
    }

    /// Returns the effect as a snapshot shows it. The function `print` prints an event in a slot of an
    /// operation's mail.
    pub(crate) fn outgoing(
        &self,
        state: &ExecutionState,
        print: impl FnOnce(u32, u32) -> String,
    ) -> Outgoing {
        match *self {
            Self::Send { to, letter } | Self::Cross { to, letter, .. } => Outgoing::Send {
                to,
                event: print(to, letter.slot),
            },
            Self::RequestCapacity(question) => Outgoing::AskForRoom {
                of: state.requests.capacity[question].target,
            },
            Self::Disk(call) => match state.disks.action(call) {
                Some(action) => Outgoing::CallDisk { call: action.call },
                None => Outgoing::Silent,
            },
            Self::FailPower { .. } => Outgoing::FailPower,
            Self::Start(who) => Outgoing::Spawn { who },
            Self::Reply { ask, lost } => Outgoing::Reply {
                to: state.requests.asks[ask].asker,
                lost: lost.is_some(),
            },
            Self::Notice { watch } => Outgoing::Notify {
                to: state.relations.watches[watch].watcher,
            },
            Self::Halt(_) => Outgoing::Halt,
            Self::Stop { to, at_once } => Outgoing::Stop { to, at_once },
            Self::Decide { child, .. } => Outgoing::Decide { who: child },
            Self::Share { to, .. } => Outgoing::Share { to },
            Self::Fault(_)
            | Self::Name { .. }
            | Self::Announce { .. }
            | Self::Arm { .. }
            | Self::Cancel { .. }
            | Self::Watch { .. }
            | Self::Unwatch { .. }
            | Self::Link { .. }
            | Self::Unlink { .. }
            | Self::TearWrites { .. }
            | Self::DropReference { .. }
            | Self::Finish => Outgoing::Silent,
        }
    }
}

/// Returns a number for a reason to stop, for fingerprints.
pub(crate) fn reason_number(reason: StopReason) -> u64 {
    match reason {
        StopReason::Halted => 0,
        StopReason::Stopped => 1,
        StopReason::Failed => 2,
        StopReason::Exhausted => 3,
        StopReason::Linked => 4,
        StopReason::Aborted => 5,
        StopReason::Disconnected => 6,
        _ => 7,
    }
}

/// Distinguishes the kinds of effects in fingerprints. The compiler rejects equal numbers.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(crate) enum EffectTag {
    Finish = 0,
    Send = 1,
    Start = 2,
    Reply = 3,
    ReplyLost = 4,
    Notice = 5,
    Halt = 6,
    Announce = 7,
    Arm = 8,
    Cancel = 9,
    Watch = 10,
    Stop = 11,
    StopAtOnce = 12,
    Link = 13,
    ShareHalted = 14,
    ShareStopped = 15,
    ShareFailed = 16,
    ShareExhausted = 17,
    ShareLinked = 18,
    ShareAborted = 19,
    ShareOther = 20,
    Unlink = 30,
    Unwatch = 31,
    Disk = 32,
    FailPower = 33,
    TearWrites = 34,
    Decide = 35,
    DropReference = 36,
    Cross = 37,
    NodeFault = 38,
    Request = 39,
    RequestWaiting = 40,
    Name = 41,
}

impl EffectTag {
    fn of_request(waits: bool) -> Self {
        if waits {
            Self::RequestWaiting
        } else {
            Self::Request
        }
    }

    fn of_reply(is_lost: bool) -> Self {
        if is_lost {
            Self::ReplyLost
        } else {
            Self::Reply
        }
    }

    fn of_stop(at_once: bool) -> Self {
        if at_once {
            Self::StopAtOnce
        } else {
            Self::Stop
        }
    }

    fn of_share(reason: StopReason) -> Self {
        match reason {
            StopReason::Halted => Self::ShareHalted,
            StopReason::Stopped => Self::ShareStopped,
            StopReason::Failed => Self::ShareFailed,
            StopReason::Exhausted => Self::ShareExhausted,
            StopReason::Linked => Self::ShareLinked,
            StopReason::Aborted => Self::ShareAborted,
            _ => Self::ShareOther,
        }
    }
}
