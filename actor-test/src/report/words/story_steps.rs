//! Formats the effects of a step as text.

use std::collections::BTreeSet;
use std::time::Duration;

use super::changes;
use super::count;
use super::disks;
use super::escape::{cut, plain, shortened};
use crate::data::causes::StepSummary;
use crate::data::step::StepKind;
use crate::data::story::{
    CapacityReply, ChoicePurpose, Effect, Message, MessageFate, MonitorChange, MonitorKind,
    NameUsed, Purpose, Step, Story, Text, Timer, name_of,
};

/// A handled event longer than this is not repeated, if the step that sent it is shown.
const REPEATED_MAX: usize = 60;

/// Returns the name of the operation that takes a step.
pub(crate) fn who(story: &Story, step: &Step) -> String {
    if step.kind == StepKind::Fault {
        return "FAULT".into();
    }
    let name = shortened(story.name(step.who));
    match step.timer {
        Some(_) => format!("{name}'s timer"),
        None => name,
    }
}

/// Describes a step in one line.
pub(crate) fn step_summary(story: &Story, step: &Step) -> StepSummary {
    StepSummary {
        step: step.number,
        actor: who(story, step),
        what: step_action(story, step),
    }
}

/// Formats the action of a step, and the changes of its actor.
pub(crate) fn action_and_changes(story: &Story, step: &Step) -> String {
    let changes = changes::listed(&step.changes);
    let changes = changes.map_or_else(String::new, |changes| format!(": {changes}"));
    step_action(story, step) + &changes
}

/// Formats the action of a step, without its actor.
pub fn step_action(story: &Story, step: &Step) -> String {
    happening(story, step, &BTreeSet::new())
}

/// Formats the actor and the action of a step.
pub(crate) fn actor_and_action(story: &Story, step: &Step) -> String {
    format!("`{}` {}", who(story, step), step_action(story, step))
}

/// Formats a step of a story for a terminal; `shown` are the steps that the report shows.
pub(super) fn happening(story: &Story, step: &Step, shown: &BTreeSet<u64>) -> String {
    plain(&in_words(story, step, shown))
}

fn in_words(story: &Story, step: &Step, shown: &BTreeSet<u64>) -> String {
    let mut event = None;
    let mut around = String::new();
    if let Some(message) = step.message.and_then(|number| story.message(number)) {
        let from = message
            .from
            .map_or("timer".into(), |from| shortened(story.name(from)));
        around += &format!(" from {from}");
        let sent = message
            .sent
            .filter(|sent| shown.contains(sent) && *sent != step.number);
        event = Some(match sent {
            Some(sent) if message.event.chars().count() > REPEATED_MAX => {
                format!("{} of step {sent}", shortened(name_of(&message.event)))
            }
            _ => shortened(&message.event),
        });
    }
    let mut notes = Vec::new();
    if step.ignored {
        notes.push("ignored".to_owned());
    }
    let mut choices = Vec::new();
    for effect in &step.effects {
        match effect {
            Effect::Chose {
                asked: ChoicePurpose::Branch,
                answer,
                ..
            } => notes.push(format!("begins with branch {} of a `select!`", answer + 1)),
            Effect::Chose {
                asked: ChoicePurpose::Woken,
                ..
            } if step.effects.iter().any(Effect::is_wake_up) => {}
            Effect::Chose { answer, .. } => choices.push(answer.to_string()),
            Effect::Sent { message, .. } if event.is_none() => {
                let message = story.message(*message);
                event = message.map(|message| shortened(&message.event));
                let to = message.map_or("?".into(), |message| shortened(story.name(message.to)));
                around = format!(" to {to}{around}");
                notes.extend(fate(story, effect));
            }
            Effect::Replied {
                to,
                asked: Some(_),
                reply,
                lost,
            } if event.is_none() => {
                let (what, why) = reply_in_words(reply.as_deref(), lost.as_deref());
                event = Some(what);
                around = format!(" to {}{why}{around}", shortened(story.name(*to)));
            }
            _ => notes.extend(note(story, step, effect)),
        }
    }
    let verb = match step.kind {
        StepKind::Start => "starts",
        StepKind::Handle => "handles",
        StepKind::Flush if event.is_some() => "sends",
        // The notes describe the other effects of an outbox.
        StepKind::Flush if !notes.is_empty() => return notes.join(", "),
        StepKind::Fault if !notes.is_empty() => return notes.join(", "),
        StepKind::Flush => "flush",
        StepKind::Resume => "resumes",
        StepKind::Timer => fires(story, step, event.is_some()),
        StepKind::Stop => "stop",
        // The notes describe the access.
        StepKind::Access if !notes.is_empty() => {
            let mut all = notes;
            if !choices.is_empty() {
                all.push(format!("chooses {}", choices.join(", ")));
            }
            return all.join(", ");
        }
        StepKind::Access => "goes on",
        StepKind::Fault => "fault",
        StepKind::Deliver if event.is_none() && !fault_mark(step).is_empty() => {
            return notes.join(", ");
        }
        StepKind::Deliver if notes.is_empty() && event.is_none() => "delivers nothing",
        StepKind::Deliver => "delivers",
    };
    let mut text = verb.to_owned();
    if let Some(event) = event {
        text = format!("{text} {event}");
    }
    text += &around;
    if !choices.is_empty() {
        text += &format!(", chooses {}", choices.join(", "));
    }
    for note in &notes {
        text += &format!(", {note}");
    }
    text
}

/// Describes what the firing of a timer means.
fn fires(story: &Story, step: &Step, has_event: bool) -> &'static str {
    let timer = step
        .timer
        .and_then(|timer| story.timers.get(timer as usize));
    match timer.map(|timer| timer.purpose) {
        _ if has_event => "fires:",
        Some(Purpose::Sleep) => "fires: the sleep is over",
        Some(Purpose::Limit) => "fires: the time to wait is over",
        Some(Purpose::Tick) => "fires: a tick",
        Some(Purpose::Reply) => "fires: the time for a reply is over",
        Some(Purpose::Restart) => "fires: it may be brought back now",
        Some(Purpose::Shutdown | Purpose::Kill) => "fires: the time to stop is over",
        _ => "fires",
    }
}

/// Formats a reply; if there is none, the reason comes second, for its place behind the asker.
fn reply_in_words(reply: Option<&str>, lost: Option<&str>) -> (String, String) {
    match (reply, lost) {
        (Some(reply), _) => (format!("reply {}", shortened(reply)), String::new()),
        (None, Some(lost)) => ("no reply".into(), format!(": {}", shortened(lost))),
        (None, None) => ("no reply".into(), String::new()),
    }
}

fn fault_in_words(
    fault: &str,
    node: Option<&str>,
    links: &[(Text, Text)],
    by_ns: Option<u64>,
) -> String {
    let by = Duration::from_nanos(by_ns.unwrap_or_default());
    let node = node.unwrap_or("a node");
    let ends = links.first();
    let (from, to) = ends.map_or(("", ""), |(from, to)| (from.as_ref(), to.as_ref()));
    let mut links = links.iter().map(|(from, to)| format!("{from}->{to}"));
    let first = links.next();
    let link = first.as_deref().map_or("all links".into(), |first| {
        let more = links.fold(String::new(), |all, link| format!("{all}, {link}"));
        format!("{first}{more}")
    });
    match fault {
        "crash" => format!("node {node} crashes"),
        "restart" => format!("node {node} restarts"),
        "restart_without_disk" => format!("node {node} restarts without its disk"),
        "pause" => format!("node {node} is paused"),
        "resume" => format!("node {node} goes on"),
        "cut" => format!("cut: {link}"),
        "heal" => format!("healed: {link}"),
        "break" => format!("the connection breaks: {link}"),
        "half_open" => format!("the connection breaks for {from} alone, and {to} does not notice"),
        "notice" => format!("{from} notices that its connection to {to} is broken"),
        "hold" => format!("held: {link}"),
        "release" => format!("released: {link}"),
        "fill" => format!("full: {link}"),
        "drain" => format!("has room again: {link}"),
        "drop" => format!("the next on {link} is to be lost"),
        "duplicate" => format!("the next on {link} is to arrive twice"),
        "delay" => format!("the next on {link} is to be overtaken"),
        "set_ahead" => format!("the clock of node {node} jumps {by:?} ahead"),
        "set_back" => format!("the date on node {node} is set back by {by:?}"),
        other => other.to_owned(),
    }
}

fn clock_in_words(node: &str, ahead_ns: u64, drift_ppb: i64) -> String {
    let ahead = Duration::from_nanos(ahead_ns);
    let ahead = (ahead_ns > 0).then(|| format!("is {ahead:?} ahead"));
    let pace = if drift_ppb > 0 { "gains" } else { "loses" };
    let drift = Duration::from_nanos(drift_ppb.unsigned_abs());
    let drift = (drift_ppb != 0).then(|| format!("{pace} {drift:?} a second"));
    let goes: Vec<String> = [ahead, drift].into_iter().flatten().collect();
    match goes.is_empty() {
        true => format!("the clock of {node} is right"),
        false => format!("the clock of {node} {}", goes.join(" and ")),
    }
}

/// Formats the fate of a message that did not simply arrive.
fn fate(story: &Story, effect: &Effect) -> Option<String> {
    let Effect::Sent {
        arrival, replaced, ..
    } = effect
    else {
        return None;
    };
    match arrival {
        MessageFate::Arrived | MessageFate::Leaves => None,
        MessageFate::Lost => Some("lost: the link is cut, or loses it".into()),
        MessageFate::Deferred => Some("deferred".into()),
        MessageFate::Dead => Some("dead letter: the receiver has stopped".into()),
        MessageFate::Unclaimed => Some("dead letter: nobody has the name".into()),
        MessageFate::Refused => Some("refused, a dead letter: the mailbox is full".into()),
        MessageFate::LinkFull => Some("refused, a dead letter: the link is full".into()),
        MessageFate::Replaced => {
            let gone = replaced.and_then(|number| story.message(number));
            let gone = gone.map_or("the oldest event".into(), |gone| shortened(&gone.event));
            Some(format!("{gone} makes room for it, a dead letter"))
        }
    }
}

/// Formats a further effect of a step in a few words.
fn note(story: &Story, step: &Step, effect: &Effect) -> Vec<String> {
    let name = |who: u32| shortened(story.name(who));
    let timer = |number: u32| story.timers.get(number as usize);
    let one = match effect {
        Effect::Sent { message, .. } => {
            let sent = story.message(*message).map(|message| {
                let to = name(message.to);
                format!("sends {} to {to}", shortened(&message.event))
            });
            return sent.into_iter().chain(fate(story, effect)).collect();
        }
        Effect::NameUsed {
            how,
            name: used,
            holder,
            error,
        } => {
            let holder = holder.map(name);
            match (how, holder, error) {
                (NameUsed::Registers, Some(holder), None) => {
                    format!("registers {holder} as `{used}`")
                }
                (NameUsed::Registers, _, error) => {
                    let why = error.as_deref().unwrap_or_default();
                    format!("can't register the name `{used}`: {why}")
                }
                (NameUsed::Unregisters, ..) => format!("unregisters the name `{used}`"),
                (NameUsed::LooksUp, Some(holder), _) => format!("looks up `{used}`: {holder}"),
                (NameUsed::LooksUp, None, error) => {
                    let why = error.as_deref().unwrap_or_default();
                    format!("looks up `{used}`: {why}")
                }
            }
        }
        Effect::Replied {
            to,
            asked: None,
            reply: Some(reason),
            ..
        } => match reason.strip_prefix("Err(") {
            Some(why) => {
                let why = shortened(why.trim_end_matches(')'));
                format!("reports to {} why it has not started: {why}", name(*to))
            }
            None if reason == "Ok(())" => format!("notifies {} that it has started", name(*to)),
            None => format!("notifies {} of its end: {}", name(*to), shortened(reason)),
        },
        Effect::Replied {
            to, reply, lost, ..
        } => {
            let (reply, why) = reply_in_words(reply.as_deref(), lost.as_deref());
            format!("sends {reply} to {}{why}", name(*to))
        }
        // A fault that strikes a message on its link.
        Effect::Fault { fault, .. } if step.kind == StepKind::Deliver => match &**fault {
            "duplicate" => "FAULT: it arrives twice".to_owned(),
            "delay" => "FAULT: it overtakes the one before it".to_owned(),
            _ => return Vec::new(),
        },
        Effect::Fault {
            fault,
            node,
            links,
            by_ns,
        } => fault_in_words(fault, node.as_deref(), links, *by_ns),
        Effect::Clock {
            node,
            ahead_ns,
            drift_ppb,
        } => clock_in_words(node, *ahead_ns, *drift_ppb),
        Effect::LostOnLink {
            message: Some(message),
        } => {
            let message = story.message(*message);
            let event = message.map_or("a message".into(), |message| shortened(&message.event));
            format!("{}{event} is lost on its link", fault_mark(step))
        }
        Effect::LostOnLink { message: None } => {
            format!("{}a reply is lost on its link", fault_mark(step))
        }
        Effect::ReplyArrived { to } => format!("the reply reaches {}", name(*to)),
        Effect::Spawned { who } => format!("spawns {}", name(*who)),
        Effect::AskedForRoom { of, answer } => {
            let name = name(*of);
            match answer {
                CapacityReply::Granted => format!("there is room in {name}'s mailbox"),
                CapacityReply::Full => format!("refused: {name}'s mailbox is full"),
                CapacityReply::Closed => format!("refused: {name} has stopped"),
                CapacityReply::Waits => format!("waits for room in {name}'s mailbox"),
                CapacityReply::LinkFull => format!("refused: the link to {name} is full"),
                CapacityReply::WaitsForLink => format!("waits for room on the link to {name}"),
            }
        }
        Effect::Disk { action, error } => disks::called(action, error.as_deref()),
        Effect::PowerFailed => "the power fails".into(),
        Effect::Lost { action, parts } => disks::lost(action, *parts),
        Effect::CallFailed { call, is_made } => {
            let made = if *is_made { ", after it was made" } else { "" };
            format!("FAULT: the call \"{}\" fails{made}", shortened(call))
        }
        Effect::WokenSpuriously => "FAULT: the wait ends, though nobody has ended it".to_owned(),
        Effect::MailboxRefuses { of } => format!("FAULT: {}'s mailbox takes nothing", name(*of)),
        Effect::Announced { event } => format!("announces {}", shortened(event)),
        Effect::Accessed {
            what,
            object,
            place,
        } => format!("{what} {object} at {place}"),
        Effect::Received { message } => {
            let message = story.message(*message);
            let event = message.map_or("an event".into(), |message| shortened(&message.event));
            let from = message.and_then(|message| message.sent);
            let from = from.map_or(String::new(), |sent| format!(" of step {sent}"));
            format!("receives {event}{from}")
        }
        Effect::Woke { whom } if whom.is_empty() => "wakes nobody".into(),
        Effect::Woke { whom } => {
            let whom: Vec<String> = whom.iter().map(|who| name(*who)).collect();
            format!("wakes {}", whom.join(", "))
        }
        Effect::Over => "is over".into(),
        Effect::Awaits => "awaits".into(),
        Effect::Armed { timer: number } => timer(*number).map_or("arms a timer".into(), arms),
        Effect::Cancelled { timer: number } => match timer(*number) {
            // The wait of such a timer has ended, or was given up.
            Some(timer)
                if matches!(
                    timer.purpose,
                    Purpose::Sleep
                        | Purpose::Limit
                        | Purpose::Tick
                        | Purpose::Reply
                        | Purpose::Shutdown
                ) =>
            {
                return Vec::new();
            }
            Some(Timer {
                event: Some(event), ..
            }) => format!("cancels the timer of {}", shortened(event)),
            _ => "cancels a timer".into(),
        },
        Effect::Failed {
            who,
            panicked: true,
            message,
        } => format!("fails: `{}` panicked: {}", name(*who), shortened(message)),
        Effect::Failed { message, .. } => format!("fails: {}", shortened(message)),
        Effect::Stopped { who, at_once: true } => format!("kills {}", name(*who)),
        Effect::Stopped { who, .. } => format!("stops {}", name(*who)),
        Effect::Linked { who } => format!("{} is linked to it", name(*who)),
        Effect::Fell { .. } => "its value is dropped".into(),
        Effect::Revived { .. } => "is made anew".into(),
        Effect::GivenUp { limit, .. } => shortened(limit),
        Effect::Halted { who, unread, .. } => {
            let halts = match *who == step.who {
                true => "halts".to_owned(),
                false => format!("{} halts", name(*who)),
            };
            let unread = (*unread > 0)
                .then(|| format!("dead letters: {}", lost(story, step, *who, *unread)));
            return std::iter::once(halts).chain(unread).collect();
        }
        Effect::Passed { by_ns } => format!("{:?} pass", Duration::from_nanos(*by_ns)),
        Effect::Reentered => "enters its state again".into(),
        Effect::Ended { how } => shortened(how),
        Effect::Chose { .. } | Effect::Logged { .. } => return Vec::new(),
    };
    vec![one]
}

/// Marks what a fault does to a message on its link.
fn fault_mark(step: &Step) -> &'static str {
    let is_fault = |effect: &Effect| matches!(effect, Effect::Fault { .. });
    match step.kind == StepKind::Deliver && step.effects.iter().any(is_fault) {
        true => "FAULT: ",
        false => "",
    }
}

/// Lists the events that an actor has not read when it ends: the first ones by name.
fn lost(story: &Story, step: &Step, who: u32, unread: u64) -> String {
    const NAMED: usize = 4;
    let arrived = |effect: &Effect| match effect {
        Effect::Sent {
            message,
            arrival: MessageFate::Arrived | MessageFate::Deferred | MessageFate::Replaced,
            ..
        } => story.message(*message),
        _ => None,
    };
    let before = story
        .steps
        .iter()
        .take_while(|before| before.number <= step.number);
    let came = before.flat_map(|before| before.effects.iter().filter_map(arrived));
    let is_unread = |message: &&Message| message.to == who && message.handled.is_none();
    let events: Vec<&Message> = came.filter(is_unread).collect();
    if events.len() as u64 != unread {
        return count(unread, "queued event");
    }
    let named = events.iter().take(NAMED);
    let named: Vec<String> = named
        .map(|message| cut(&shortened(&message.event), REPEATED_MAX))
        .collect();
    let more = match events.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

/// Describes what the arming of a timer means.
fn arms(timer: &Timer) -> String {
    let after = Duration::from_nanos(timer.delay_ns);
    let event = timer.event.as_deref().map_or("an event".into(), shortened);
    let (when, unless) = match timer.periodic {
        true => ("every", "until"),
        false => ("in", "unless"),
    };
    match timer.purpose {
        Purpose::Event => format!("arms a timer: {event} {when} {after:?}"),
        Purpose::State => {
            format!("arms a timer: {event} {when} {after:?}, {unless} it leaves its state")
        }
        Purpose::NextEvent => {
            format!("arms a timer: {event} {when} {after:?} without another event")
        }
        Purpose::Sleep => format!("sleeps for {after:?}"),
        Purpose::Limit => format!("waits for {after:?} at most"),
        Purpose::Tick => format!("has the next tick in {after:?}"),
        Purpose::Reply => format!("waits for the reply for {after:?} at most"),
        Purpose::Restart => format!("is brought back in {after:?}"),
        Purpose::Shutdown => format!("waits until all have stopped, for {after:?} at most"),
        Purpose::Kill => format!("has {after:?} to stop"),
        Purpose::Unknown => "arms a timer".into(),
    }
}

/// Formats the change of an actor's state, if it has states.
pub(super) fn became(step: &Step) -> Option<String> {
    match (&step.state_before, &step.state_after) {
        (Some(before), Some(after)) if before != after => {
            Some(format!("{} → {}", shortened(before), shortened(after)))
        }
        (Some(state), _) => Some(shortened(state)),
        (None, Some(after)) => Some(format!("→ {}", shortened(after))),
        (None, None) => None,
    }
}

/// Formats the details of a step: changes of the actor and of monitors, and log entries.
pub(super) fn details(story: &Story, step: &Step) -> Vec<String> {
    let mut details = Vec::new();
    for effect in &step.effects {
        if let Effect::Logged { level, text, .. } = effect {
            details.push(format!("{} {}", shortened(level), shortened(text)));
        }
    }
    details.extend(changes::listed(&step.changes));
    details.extend(step.monitors.iter().map(|change| monitor(story, change)));
    if story.critical == Some(step.number) {
        details.push("CRITICAL: from here on there is no way back".into());
    }
    details
}

fn monitor(story: &Story, change: &MonitorChange) -> String {
    let monitor = story.monitors.get(change.monitor as usize);
    let name = monitor.map_or("?".into(), |monitor| shortened(&monitor.name));
    let after = shortened(&change.after);
    let heat = match change.heat {
        Some(heat) => format!(", after {}", count(heat, "hot step")),
        None => String::new(),
    };
    let kind = monitor.map_or(MonitorKind::Monitor, |monitor| monitor.kind);
    let expectation = match kind {
        MonitorKind::Monitor => {
            let (before, temperature) = (shortened(&change.before), change.temperature.word());
            return format!("monitor {name}: {before} → {after} ({temperature}{heat})");
        }
        MonitorKind::Always => "always",
        MonitorKind::Eventually => "eventually",
        MonitorKind::AlwaysEventually => "always eventually",
        MonitorKind::Sometimes => "sometimes",
    };
    format!("{expectation} \"{name}\" is {after} now{heat}")
}
