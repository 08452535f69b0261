//! Makes the sentences of what the engine reports: bugs, waits, pending obligations, and what is left at the end.

use std::fmt::{self, Display, Formatter};

use crate::data::problem::{
    AskCall, Awaited, AwaitedList, AwaitedObject, BadNode, Crossing, CrossingFailure, Evidence,
    Holder, LastFailure, NoEnd, ObjectName, ObligationDetails, Problem, Restless, Unread, Wait,
};
use crate::plural::count;

impl Display for Problem {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panicked { who, message } => write!(to, "`{who}` panicked: {message}"),
            Self::DropPanicked { message, after_end } => {
                let when = if *after_end { " after the execution" } else { "" };
                write!(to, "a `Drop` panicked{when}: {message}")
            }
            Self::ScriptPanicked { message } => write!(to, "a script panicked: {message}"),
            Self::PredicatePanicked { name, message } => {
                write!(to, "predicate \"{name}\" panicked: {message}")
            }
            Self::Raised { message, .. } => to.write_str(message),
            Self::MonitorFailed { name, message } => write!(to, "monitor `{name}`: {message}"),
            Self::AlwaysFalse { name, said } => {
                write!(to, "always \"{name}\" is false{}", Said(said))
            }
            Self::Unhandled { who, state, event } => {
                write!(to, "`{who}`")?;
                if let Some(state) = state {
                    write!(to, " in state `{state}`")?;
                }
                write!(to, " neither handles, defers nor ignores `{event}`")
            }
            Self::UnreceivedError { who, error } => {
                write!(to, "`{who}`: {error}, and nobody receives it")
            }
            Self::GivenUp { who, limit, last } => {
                write!(to, "`{who}` is given up: {limit}; at last, {last}")
            }
            Self::CycleOfAsks { who, calls } => {
                write!(
                    to,
                    "a cycle of asks, in which each handler awaits the reply of the next: `{}`",
                    who.join(" -> ")
                )?;
                match calls.is_empty() {
                    true => Ok(()),
                    false => write!(to, " ({})", Joined(calls, ", ")),
                }
            }
            Self::Deadlock { waits } => write!(to, "nothing can run: {}", Joined(waits, "; ")),
            Self::LongWait {
                wait,
                steps,
                threshold,
                since,
                others,
            } => {
                match wait.awaits.is_empty() {
                    true => write!(
                        to,
                        "`{}` awaits something that nothing in this test completes, a channel for instance",
                        wait.who
                    )?,
                    false => wait.fmt(to)?,
                }
                write!(
                    to,
                    ", for {steps} steps of fair scheduling (threshold {threshold}), since step {since}"
                )?;
                if !others.is_empty() {
                    write!(to, "; meanwhile {}", Joined(others, ", "))?;
                }
                to.write_str("; a wait that may last for ever is marked by `forever(..)`")
            }
            Self::LeftDeferred {
                who,
                state,
                count: left,
                first,
            } => {
                let state = match state.is_empty() {
                    true => String::new(),
                    false => format!(" in state `{state}`"),
                };
                let left = count(*left, "deferred event");
                write!(to, "`{who}` ends{state} with {left}, `{first}` first")
            }
            Self::LongDeferred {
                who,
                state,
                event,
                steps,
                threshold,
            } => write!(
                to,
                "`{who}` in state `{state}` defers `{event}` and takes it in none of {steps} steps of fair \
                 scheduling at least (threshold {threshold})"
            ),
            Self::SelfSending { who, events } => write!(
                to,
                "`{who}` handled only events that it had sent itself, {events} in a row, without a `goto` or an \
                 effect on others"
            ),
            Self::Spins { who, place, reads } => write!(
                to,
                "`{who}` spins at {place}: it has read {reads} times what nobody has changed, without a \
                 `yield_now` that lets others go first"
            ),
            Self::DataRace { cell, now, before } => {
                let verb = |writes| if writes { "writes" } else { "reads" };
                write!(
                    to,
                    "`{}` {} the {cell} at {}, and `{}` {} it at {}: nothing puts the two in an order",
                    now.who,
                    verb(now.writes),
                    now.place,
                    before.who,
                    verb(before.writes),
                    before.place
                )
            }
            Self::PendingAtEnd { obligation, since } => write!(
                to,
                "the execution ended while {obligation}, pending since step {since}"
            ),
            Self::StaysPending {
                obligation,
                since,
                evidence,
            } => write_pending(to, obligation, *since, *evidence),
            Self::StartedOften { node, starts } => {
                write!(to, "node `{node}` was started {starts} times")
            }
            Self::ManyCalls { who, calls } => write!(
                to,
                "a handler of `{who}` does not return: it sent, chose or armed {calls} times"
            ),
            Self::BlocksWithoutStack { who, object, place } => write!(
                to,
                "`{who}` blocks on {object}, at {place}: code that blocks needs a stack of its own, that of a \
                 thread, a task or the test body; in a handler use the async types of `actor_core::sync`"
            ),
            Self::NoStack { error } => {
                write!(to, "there is no memory for the stack of a thread: {error}")
            }
            Self::MonitorActs { call } => {
                write!(to, "a monitor or predicate called `{call}`: it may only read")
            }
            Self::MonitorWaits => {
                to.write_str("a monitor or predicate waits for a lock: it may only read")
            }
            Self::BadPick {
                strategy,
                position,
                enabled,
            } => write!(
                to,
                "`{strategy}` picked position {position} of {enabled} enabled operations, which are counted from zero"
            ),
            Self::BadAnswer {
                strategy,
                answer,
                bound,
            } => write!(to, "`{strategy}` answered {answer} to a choice below {bound}"),
            Self::BadFaultWithin {
                strategy,
                answer,
                ways,
            } => write!(
                to,
                "`{strategy}` answered {answer} where a fault may strike in {ways} ways"
            ),
            Self::BadFaultBetween {
                strategy,
                number,
                faults,
            } => write!(
                to,
                "`{strategy}` asked for fault {number} of {faults}, which are counted from one"
            ),
            Self::NeedsTokio { who, message } => write!(
                to,
                "`{who}` used a tokio timer, socket or task, which the tester does not control: use cx.sleep, \
                 cx.after or cx.pipe_to_self, in tasks sleep, timeout and interval of actor_core::task, or a model \
                 actor for a socket (tokio: {message})"
            ),
            Self::WokenFromOutside => to.write_str(
                "a future was woken from a thread that the tester does not control: a spawned thread, a tokio \
                 timer or a socket",
            ),
            Self::AwaitsOutside { who } => write!(
                to,
                "`{who}` awaits something that nothing in this test will complete: a tokio timer, a socket, a \
                 thread, or a channel that nobody sends to"
            ),
            Self::ForeignReference { who } => write!(
                to,
                "`{who}` used a reference to an actor of another execution: it was kept in a static or leaked, \
                 and would make this execution depend on earlier ones"
            ),
            Self::CannotCross { who, what, why } => {
                write!(to, "`{who}` sent {what}, and it can't go to another node: {why}")
            }
            Self::BadNode(bad) => bad.fmt(to),
        }
    }
}

fn write_pending(
    to: &mut Formatter<'_>,
    obligation: &ObligationDetails,
    since: u64,
    evidence: Evidence,
) -> fmt::Result {
    write!(to, "{obligation}, ")?;
    match evidence {
        Evidence::Heat {
            temperature,
            threshold,
            cycle,
        } => {
            write!(
                to,
                "for {temperature} steps of fair scheduling (threshold {threshold}), pending since step {since}"
            )?;
            match cycle {
                Some(cycle) => write!(to, "; there is {cycle}"),
                None => Ok(()),
            }
        }
        Evidence::Cycle(cycle) => write!(to, "pending since step {since}, in {cycle}"),
        Evidence::Closed { cycle, states } => write!(
            to,
            "pending since step {since}, in {cycle}; no step leads out of the {states} states around it"
        ),
    }
}

impl Display for LastFailure {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panicked { who, message } => write!(to, "`{who}` panicked: {message}"),
            Self::Failed { message } => to.write_str(message),
            Self::Halted => to.write_str("it halted"),
        }
    }
}

impl Display for Wait {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        write!(to, "`{}` awaits {}", self.who, self.awaits)
    }
}

impl Display for AwaitedList {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        Joined(&self.0, " and ").fmt(to)
    }
}

impl Display for AskCall {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        write!(to, "`{}` at {}", self.event, self.place)
    }
}

impl Display for Awaited {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { name } => write!(to, "the look-up of `{name}`"),
            Self::Start { of } => write!(to, "the start of `{of}`"),
            Self::End { of } => write!(to, "the end of `{of}`"),
            Self::Reply { of, call: None } => write!(to, "the reply of `{of}`"),
            Self::Reply {
                of,
                call: Some(call),
            } => write!(to, "the reply of `{of}` to {call}"),
            Self::Room { of } => write!(to, "room in the mailbox of `{of}`"),
            Self::LinkRoom { link } => write!(to, "room on the link `{link}`"),
            Self::Event { name } => write!(to, "an event `{name}`"),
            Self::Object(object) => object.fmt(to),
        }
    }
}

impl Display for ObjectName {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let Self { kind, number, made } = self;
        match number {
            Some(number) => write!(to, "{kind}#{number} of {made}"),
            None => write!(to, "{kind} of {made}"),
        }
    }
}

impl Display for AwaitedObject {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        write!(to, "the {}", self.name)?;
        if !self.holders.is_empty() {
            let verb = if self.holders.len() == 1 {
                "holds"
            } else {
                "hold"
            };
            write!(to, ", which {} {verb}", Joined(&self.holders, " and "))?;
        }
        match &self.behind {
            Some(name) => write!(to, ", behind `{name}`, which waits to hold it alone"),
            None => Ok(()),
        }
    }
}

impl Display for Holder {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Itself => to.write_str("it itself"),
            Self::Other(name) => write!(to, "`{name}`"),
        }
    }
}

impl Display for ObligationDetails {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Monitor {
                name,
                temperature,
                state,
            } => write!(
                to,
                "monitor `{name}` is {} in `{state}`",
                temperature.word()
            ),
            Self::Eventually { name, said } => {
                write!(to, "eventually \"{name}\" was never true{}", Said(said))
            }
            Self::AlwaysEventually { name, said } => {
                write!(to, "always eventually \"{name}\" is false{}", Said(said))
            }
            Self::Wait(wait) => wait.fmt(to),
        }
    }
}

impl Display for Crossing {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event {
                event,
                to: receiver,
            } => write!(to, "`{event}` to `{receiver}`"),
            Self::Reply => to.write_str("a reply"),
        }
    }
}

impl Display for CrossingFailure {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => to.write_str(error),
            Self::Panicked { message } => write!(to, "to encode it panicked: {message}"),
        }
    }
}

impl Display for BadNode {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists { name } => write!(
                to,
                "there is a node `{name}` already: each has a name of its own"
            ),
            Self::Malformed { name } => {
                write!(
                    to,
                    "`{name}` is no name of a node: give one without a slash"
                )
            }
            Self::Unknown { name, known } if known.is_empty() => write!(
                to,
                "there is no node `{name}` yet, nor any other: first make it, by `sys.node(\"{name}\", ..)`"
            ),
            Self::Unknown { name, known } => {
                write!(
                    to,
                    "there is no node `{name}`, only `{}`",
                    known.join("`, `")
                )
            }
            Self::Itself { name } => write!(to, "there is no link from node `{name}` to itself"),
        }
    }
}

impl Display for Unread {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::In {
                who,
                count: unread,
                first,
            } => write!(
                to,
                "`{who}` with {}, `{first}` first",
                count(*unread, "unread event")
            ),
            Self::Underway { count: events } => {
                write!(to, "{} on the way", count(*events, "event"))
            }
        }
    }
}

impl Display for Restless {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        write!(to, "`{}` ", self.who)?;
        match &self.gets {
            Some((event, period)) => write!(to, "gets `{event}` every {period:?}, ")?,
            None => to.write_str("awaits the ticks of an interval, ")?,
        }
        to.write_str(match self.why {
            NoEnd::OtherTimers => "with other timers that are armed anew and anew",
            NoEnd::SomeoneAwaits => "while someone awaits",
            NoEnd::ObligationPending => "while an obligation is pending",
            NoEnd::NoPause => "with never a pause between the ticks",
        })
    }
}

/// The explanation of a predicate that does not hold, after a colon, if there is one.
struct Said<'a>(&'a Option<String>);

impl Display for Said<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(said) => write!(to, ": {said}"),
            None => Ok(()),
        }
    }
}

/// Parts with a text between each two.
struct Joined<'a, T>(&'a [T], &'a str);

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        for (number, part) in self.0.iter().enumerate() {
            if number > 0 {
                to.write_str(self.1)?;
            }
            part.fmt(to)?;
        }
        Ok(())
    }
}
