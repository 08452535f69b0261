//! Formats the verdict of a search: its coverage claim, its gaps and its assumptions.

use super::count;
use super::layout::percent;
use crate::data::constructs::{Constructs, StepConstruct};
use crate::data::coverage_claim::{Gap, Reduction, Unjudged};
use crate::data::extent::SizeEstimate;
use crate::report::behaviours::BehaviourStatistics;
use crate::report::data::Report;
use crate::report::verdict::{Assumption, DeviationBound, SearchKind};

/// The largest number of places in the program that are named.
const PLACES_MAX: usize = 3;

/// Formats the coverage: the gaps of a systematic search, or the estimated saturation of a sample.
pub(super) fn covered(report: &Report) -> Option<String> {
    let SearchKind::Systematic { reduction, .. } = &report.verdict.searched else {
        return saturation(&report.behaviours);
    };
    if report.verdict.is_exhaustive() {
        let assumptions = report.verdict.assumptions.iter().map(assumption);
        let assumptions: String = assumptions.collect();
        return Some(format!("{}{assumptions}", whole(report, *reduction)));
    }
    if let Some(within) = report.verdict.within() {
        return Some(up_to(report, *reduction, within));
    }
    let left = report.verdict.extent.map(|extent| {
        let is_in_gap = matches!(report.verdict.gaps.last(), Some(Gap::States { .. }));
        reached(&extent, *reduction, is_in_gap)
    });
    let gaps = gaps(&report.verdict.gaps);
    Some(format!(
        "not exhaustive: {gaps}{}",
        left.unwrap_or_default()
    ))
}

/// Formats the verdict of a search that completed.
fn whole(report: &Report, reduction: Reduction) -> String {
    match reduction {
        Reduction::None => "exhaustive".into(),
        Reduction::LocalFirst => "exhaustive, with local steps in one order".into(),
        Reduction::States {
            states,
            local_first,
            symmetric,
        } => all_states(report, states, local_first, symmetric),
        Reduction::Histories { prefixes } => all(report, &count(prefixes, "beginning"), ""),
        Reduction::Inboxes {
            behaviours,
            observers,
            orders,
            opaque,
        } => {
            let seen = match (observers, opaque) {
                (true, true) => {
                    " as observers see them (a monitor that is not `Hash` distinguishes all orders)"
                }
                (true, false) => " as observers see them",
                (false, _) => "",
            };
            let orders = if orders {
                ", each in every order that monitors may see"
            } else {
                ""
            };
            let behaviours = count(behaviours, "behaviour");
            all(report, &format!("{behaviours}{seen}{orders}"), "")
        }
        Reduction::Steps {
            behaviours,
            everywhere,
        } => {
            let behaviours = count(behaviours, "behaviour");
            all(report, &behaviours, &dependent(everywhere))
        }
    }
}

fn assumption(assumption: &Assumption) -> &'static str {
    match assumption {
        Assumption::Threads => ", if its threads share data by `actor_core::sync` alone",
        Assumption::Timers => ", if time passes when its timers fire alone",
        Assumption::Yields => {
            ", if who yields twice in a row goes on when another has taken a step"
        }
    }
}

/// Lists the kinds of steps taken as dependent on all others, by which behaviours may be counted twice.
fn dependent(everywhere: Constructs) -> String {
    let mut steps: Vec<String> = everywhere
        .iter()
        .map(|what| format!("if it {}", describe(what)))
        .collect();
    let Some(last) = steps.pop() else {
        return ", where some may be counted more than once".into();
    };
    let steps = match steps.as_slice() {
        [] => last,
        steps => format!("{}, or {last}", steps.join(", ")),
    };
    format!(
        ", where a step was taken as dependent on all others {steps}, so that some may be counted more \
         than once"
    )
}

/// Formats the size of the explored part, unless a gap states it, and the estimated size of the whole.
fn reached(extent: &SizeEstimate, reduction: Reduction, is_in_gap: bool) -> String {
    let what = match reduction {
        Reduction::States { .. } => "state",
        Reduction::Inboxes { .. } | Reduction::Steps { .. } => "behaviour",
        Reduction::Histories { .. } => "beginning",
        Reduction::None | Reduction::LocalFirst => "schedule",
    };
    let met = match is_in_gap {
        true => String::new(),
        false => format!(", at {}", count(extent.met, what)),
    };
    match (extent.least, extent.most) {
        (least, None) if least == extent.met => format!("{met}, and no end was in sight"),
        (least, None) => format!("{met} of at least {} by estimate", about(least)),
        (least, Some(most)) if least == extent.met => {
            format!("{met} of at most {} by estimate", about(most))
        }
        (least, Some(most)) if about(least) == about(most) => {
            format!("{met} of {} by estimate", about(most))
        }
        (least, Some(most)) => {
            let (least, most) = (about(least), about(most));
            format!("{met} of {least} to {most} by estimate")
        }
    }
}

/// Rounds to two digits, since the others of an estimate mean nothing.
fn about(number: u64) -> String {
    let figures = number.checked_ilog10().unwrap_or(0);
    let unit = 10_u64.pow(figures.saturating_sub(1));
    (number / unit).saturating_mul(unit).to_string()
}

/// Formats the verdict of a search that ran all schedules up to a bound.
fn up_to(report: &Report, reduction: Reduction, within: DeviationBound) -> String {
    let bound = match within {
        DeviationBound::Delays(bound) => count(bound.into(), "delay"),
        DeviationBound::Preemptions(bound) => count(bound.into(), "preemption"),
    };
    let met = match reduction {
        Reduction::States { states, .. } => format!(", {}", count(states, "state")),
        Reduction::Histories { prefixes } => format!(", {}", count(prefixes, "beginning")),
        _ => String::new(),
    };
    let bug = match report.bugs().is_empty() {
        true => ", no bug",
        false => "",
    };
    format!("all schedules of at most {bound}{met}{bug}; there are more")
}

pub(super) fn gaps(gaps: &[Gap]) -> String {
    let gaps: Vec<String> = gaps.iter().map(gap).collect();
    gaps.join(", ")
}

fn all_states(report: &Report, states: u64, local_first: bool, symmetric: bool) -> String {
    let order = match (local_first, symmetric) {
        (true, _) => ", with local steps in one order",
        (false, true) => ", up to permutations of interchangeable actors",
        (false, false) => "",
    };
    all(report, &count(states, "state"), order)
}

/// Formats the number of everything that a completed search explored.
fn all(report: &Report, what: &str, order: &str) -> String {
    match report.bugs().is_empty() {
        true => format!("proved: {what}, no bug, for this configuration{order}"),
        false => format!("exhaustive: {what}{order}"),
    }
}

/// Describes a gap: why a systematic search has not covered everything.
fn gap(gap: &Gap) -> String {
    match gap {
        Gap::Steps { bound, executions } => {
            format!(
                "{} cut off at {bound} steps",
                count(*executions, "execution")
            )
        }
        Gap::Executions { bound } => format!("it stopped after {}", count(*bound, "execution")),
        Gap::Budget { steps } => format!("its budget of {steps} steps was spent"),
        Gap::TooMany { about } => format!("it seemed to need about {}", count(*about, "execution")),
        Gap::NoEnd { states } => format!("no end was in sight at {}", count(*states, "state")),
        Gap::Time => "its time was over".into(),
        Gap::Orders { behaviours } => format!(
            "monitors may see {} in more orders than it checked",
            count(*behaviours, "behaviour")
        ),
        Gap::Bug => "it stopped at the bug".into(),
        Gap::Saturated => "it stopped where nothing new had come for long".into(),
        Gap::Parts => "it is a part of a search".into(),
        Gap::Seeds { executions } => format!(
            "one seed for each `cx.rng()` in {}",
            count(*executions, "execution")
        ),
        Gap::System { executions } => format!(
            "one seed for the system's random bytes, and so one order for each hash map, in {}",
            count(*executions, "execution")
        ),
        Gap::Clock { executions } => format!(
            "a clock was read twice and never moved in {}",
            count(*executions, "execution")
        ),
        Gap::Ticks { bound, executions } => format!(
            "more than {} of an actor before steps of others in {}",
            count((*bound).into(), "tick"),
            count(*executions, "execution")
        ),
        Gap::States { bound } => format!("it stopped at {}", count(*bound, "state")),
        Gap::Histories { bound } => format!(
            "it stopped when it knew {bound} histories of actors; `dpor:HISTORIES` lets it know more"
        ),
        Gap::Delays { bound } => format!("what takes more than {}", count((*bound).into(), "delay")),
        Gap::Preemptions { bound } => {
            format!("what takes more than {}", count((*bound).into(), "preemption"))
        }
        Gap::UnsoundExplorer => "the explorer is not sound: its delays brought one operation to the front twice, \
                          and others not at all"
            .into(),
        Gap::HeldFaults { executions } => {
            format!("faults that the explorer held back in {}", count(*executions, "execution"))
        }
        Gap::ExplorerState => "the explorer has no fingerprint, so that a state that is met again with fewer \
                               delays is not gone on from"
            .into(),
        Gap::Prefixes { steps: 0 } => "no walk came to a place behind a quarter of the bound \
                                           on steps (`-m`) at which no obligation is pending"
            .into(),
        Gap::Prefixes { steps } => format!("it searched behind {} of a walk", count(*steps, "step")),
        Gap::Unfair => "schedules in which one waits for ever while another polls".into(),
        Gap::Cycles(unjudged) => match unjudged {
            Unjudged::PendingObligations => "obligations that may stay pending for ever were not searched for",
            Unjudged::Deferred => "an event may be deferred for ever, which was not judged",
            Unjudged::Busy => {
                "an actor may handle nothing but its own events for ever, which was not judged"
            }
        }
        .into(),
        Gap::Diverged { executions, step } => {
            let first = step.map_or_else(String::new, |step| format!(", the first at step {step}"));
            format!(
                "{} differed from executions with the same decisions before{first}: the program is not \
                 deterministic",
                count(*executions, "execution")
            )
        }
        Gap::Yields => {
            "somebody yields twice in a row, and goes on when another has taken a step: steps whose order \
             nobody sees otherwise are distinguished by that"
                .into()
        }
        Gap::Orderings { places } => {
            let (use_, are) = match places.len() {
                1 => ("uses an ordering", "is"),
                _ => ("use orderings", "are"),
            };
            let rest = places.len().saturating_sub(PLACES_MAX);
            let more = (rest > 0).then(|| format!("{rest} more"));
            let named = places.iter().take(PLACES_MAX).cloned().chain(more);
            let named: Vec<String> = named.collect();
            format!(
                "{} {use_} weaker than `SeqCst`, which {are} taken as that ({})",
                count(places.len() as u64, "place"),
                named.join(", ")
            )
        }
        Gap::Suffixes { executions } => {
            format!(
                "a random walk at the end of {}",
                count(*executions, "execution")
            )
        }
        Gap::Unsupported { what, who } => {
            let of = who.as_ref().map_or_else(String::new, |who| format!(" of `{who}`"));
            format!("it can't follow a step{of} which {}", describe(*what))
        },
        Gap::Nondeterministic => "an actor did something else although it was given the same events in the same \
                         order: it depends on something that the search does not follow, or the program \
                         is not deterministic"
            .into(),
        Gap::Refuted => "it ended without a bug, but an execution drawn at random besides has failed: \
                         the search has left out too much, which may be a fault of its own, or the \
                         program is not deterministic"
            .into(),
        Gap::NoClaim => "the strategy does not say whether anything is left".into(),
    }
}

/// Describes a kind of step that a search by behaviours can't follow.
fn describe(what: StepConstruct) -> &'static str {
    match what {
        StepConstruct::Clock => "reads the clock",
        StepConstruct::Timer => "arms, cancels or awaits a timer",
        StepConstruct::Fault => "may meet a fault",
        StepConstruct::Room => "depends on the room in a bounded mailbox",
        StepConstruct::Receive => "takes an event with `receive`",
        StepConstruct::Supervision => "concerns a supervisor and its children",
        StepConstruct::Link => "links actors",
        StepConstruct::Watch => "watches an actor's end, or notifies of it",
        StepConstruct::Ends => "asks whether an actor has stopped",
        StepConstruct::References => {
            "drops or searches for a reference to an actor that counts them"
        }
        StepConstruct::Names => "uses the registry of names",
        StepConstruct::Disk => "uses a disk",
        StepConstruct::Sharing => "accesses something shared",
        StepConstruct::System => "asks the operating system for something",
        StepConstruct::Predicate => "is read by predicates that count events or timers",
        StepConstruct::Monitor => "is observed by a monitor",
        StepConstruct::Announcement => "announces an event",
        StepConstruct::Ask => "has several asks open, gives one up, or loses its reply",
        StepConstruct::Stop => "stops an actor",
        StepConstruct::Finish => "asks for the end of the execution",
        StepConstruct::Node => "concerns another node",
        StepConstruct::Defer => {
            "sends to an actor that defers some of more than 64 kinds of events, or is one's"
        }
        StepConstruct::Ticks => {
            "arms a timer that fires again and again, or one that lets messages go first"
        }
        StepConstruct::Together => "sends several events at once, since handlers are atomic",
        StepConstruct::Future => "is a piped future's",
        StepConstruct::Task => "is a task's or a thread's",
        StepConstruct::Identity => {
            "reads the number or the name of an actor, of which several create some"
        }
        StepConstruct::Observer => "sets a monitor or a predicate to work when others have begun",
    }
}

/// Formats the estimated saturation of a sample; `None` after a single execution.
fn saturation(behaviours: &BehaviourStatistics) -> Option<String> {
    let BehaviourStatistics {
        seen,
        new_chance,
        at_least,
        ..
    } = *behaviours;
    if new_chance >= 1.0 {
        return (seen > 1).then(|| "every execution showed a new one".into());
    }
    if new_chance == 0.0 {
        return Some("each seen more than once".into());
    }
    let verdict = if new_chance > 0.5 {
        "far from saturated".into()
    } else {
        let share = seen as f64 / at_least.max(1) as f64;
        // After few executions, one estimate may predict no unseen behaviour where the other does.
        let share = share.min(1.0 - new_chance) * 100.0;
        format!("at most about {share:.0} % of behaviours seen")
    };
    let chance = percent(new_chance);
    Some(format!("{chance} chance that the next is new, {verdict}"))
}
