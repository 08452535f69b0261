//! Formats the statistics of an exploration.

use super::command::CommandContext;
use super::layout::percent;
use super::verdict::{self, covered};
use super::{count, foreign};
use crate::data::coverage_claim::Gap;
use crate::report::data::{FaultStatistics, Report, StrategyStatistics};
use crate::settings::strategy::split_placement;

/// Formats the number of executions, and the statistics of the exploration.
pub(super) fn statistics(report: &Report) -> Vec<String> {
    let mut lines = explored(report);
    if let Some(first) = lines.first_mut() {
        *first = format!("{}: {first}", count(report.executions, "execution"));
    }
    lines
}

/// Formats the statistics of a failing test, with the contribution of each strategy if that is asked for.
pub(super) fn failing_statistics(report: &Report, place: &CommandContext) -> Vec<String> {
    let mut lines = statistics(report);
    if place.lists_strategies {
        lines.extend(strategies(&report.strategies, true));
    }
    lines
}

/// Formats the statistics without the number of executions, which stands before them.
pub(super) fn explored(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    if report.executions == 0 {
        return lines;
    }
    let mut line = format!("{} fair, {} unfair", report.fair, report.unfair);
    if report.pruned > 0 {
        line += &format!(", {} pruned", report.pruned);
    }
    if let Some(steps) = report.steps {
        line += &format!(
            " · steps in fair terminating executions {} min, {} avg, {} max",
            steps.min, steps.avg, steps.max
        );
    }
    lines.push(line);
    let mut parts: Vec<String> = long_ones(report).collect();
    parts.push(behaviours(report));
    parts.extend(covered(report));
    lines.push(parts.join(" · "));
    lines.extend(spent(report));
    lines.extend(near(report));
    lines.extend(asked(report));
    if report.asked_for_bytes > 0 {
        let mut bugs = report.bugs().iter();
        lines.extend(bugs.find_map(|bug| foreign::selects(&bug.trace.story)));
    }
    if report.calibrated {
        let bounds = report.bounds;
        lines.push(format!(
            "bounds found to fit: -m {}:{}, threshold {}",
            bounds.unfair(),
            bounds.fair(),
            bounds.temperature()
        ));
    }
    lines.extend(faults(report));
    if !report.covered.is_empty() {
        let label = |(label, times): (&String, &u64)| format!("\"{label}\" in {times}");
        let labels: Vec<String> = report.covered.iter().map(label).collect();
        lines.push(format!("came by {}", labels.join(", ")));
    }
    lines
}

fn faults(report: &Report) -> Option<String> {
    let kind = |faults: &FaultStatistics| {
        let FaultStatistics {
            kind,
            struck,
            executions,
            ..
        } = faults;
        match struck {
            0 => format!("no {}", kind.noun()),
            1 => format!("1 {}", kind.noun()),
            _ => format!(
                "{struck} {} in {}",
                kind.plural(),
                count(*executions, "execution")
            ),
        }
    };
    let kinds: Vec<String> = report.faults.iter().map(kind).collect();
    (!kinds.is_empty()).then(|| format!("faults: {}", kinds.join(", ")))
}

/// Formats the executions of and near saved schedules.
fn near(report: &Report) -> Option<String> {
    let (saved, near) = (report.saved, report.near);
    let them = if saved == 1 { "it" } else { "them" };
    (saved > 0).then(|| {
        format!(
            "{} passed; {} near {them} tried",
            count(saved, "saved schedule"),
            count(near, "execution")
        )
    })
}

/// Formats the steps spent, if a budget of steps ended the exploration.
fn spent(report: &Report) -> Option<String> {
    let budget = report.verdict.gaps.iter().find_map(|gap| match gap {
        Gap::Budget { steps } => Some(*steps),
        _ => None,
    })?;
    let threads = match report.asked_for_bytes {
        0 => "",
        _ => ", 400 for a thread of its own",
    };
    // The searches that `--exhaustive` has tried are in the verdict, and not part of this budget.
    let tried = match report.wants_proof {
        true => &[][..],
        false => &report.tried[..],
    };
    let all_tried: u64 = tried.iter().map(|tried| tried.steps).sum();
    let tried: String = tried
        .iter()
        .map(|tried| {
            let (steps, strategy) = (tried.steps, &tried.strategy);
            let why = verdict::gaps(&tried.gaps);
            format!(", {steps} to try whether {strategy} proves it ({why})")
        })
        .collect();
    Some(format!(
        "a budget of {} steps was spent: {} of executions, and 20 for the start of each{threads}{tried}; \
         -i or --for say otherwise",
        budget + all_tried,
        report.steps_total
    ))
}

/// Formats the requests to the operating system, and how they were answered.
fn asked(report: &Report) -> Option<String> {
    let mut parts = Vec::new();
    if report.asked_for_bytes > 0 {
        parts.push(format!(
            "{} asked the system for random bytes, answered from the seed, each on a thread of its own, \
             which took about {:.0} µs",
            report.asked_for_bytes,
            report.thread_s * 1e6
        ));
    }
    if report.asked_for_time > 0 {
        let subject = match parts.is_empty() {
            true => "asked the system for the time",
            false => "for the time",
        };
        parts.push(format!(
            "{} {subject}, answered from the virtual clock",
            report.asked_for_time
        ));
    }
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Formats the shares of fair and unfair executions that exceeded the bounds.
fn long_ones(report: &Report) -> impl Iterator<Item = String> {
    let (unfair, fair) = (report.bounds.unfair(), report.bounds.fair());
    let share = |of: u64, all: u64| match of {
        0 => None,
        of => Some(percent(of as f64 / all.max(1) as f64)),
    };
    let over = share(report.fair_over_unfair_bound, report.fair)
        .map(|share| format!("bound of {unfair} exceeded in {share}"));
    let cut_off = share(report.fair_at_bound, report.fair)
        .map(|share| format!("cut off at {fair} in {share}"));
    let of_fair: Vec<String> = over.into_iter().chain(cut_off).collect();
    let of_fair = (!of_fair.is_empty()).then(|| format!("{} of the fair ones", of_fair.join(", ")));
    let of_unfair = share(report.unfair_at_bound, report.unfair)
        .map(|share| format!("cut off at {unfair} in {share} of the unfair ones"));
    of_fair.into_iter().chain(of_unfair)
}

/// Formats the contribution of each strategy that ran; the chance of a new behaviour is left out over
/// several tests.
pub fn strategies(strategies: &[StrategyStatistics], of_one_test: bool) -> Vec<String> {
    let had_a_turn = |strategy: &&StrategyStatistics| strategy.executions > 0;
    let strategies: Vec<StrategyStatistics> =
        strategies.iter().filter(had_a_turn).cloned().collect();
    let placed = |strategy: &StrategyStatistics| split_placement(&strategy.name).is_some();
    if strategies.len() < 2 {
        return Vec::new();
    }
    if !strategies.iter().any(placed) {
        return contributed(&strategies, of_one_test);
    }
    // One line for each combination of strategy and placement would be too many.
    let bare = |name: &str| split_placement(name).map_or(name.to_owned(), |(_, bare)| bare.into());
    let placement = |name: &str| match split_placement(name) {
        Some((placement, _)) => format!("faults {}", placement.word()),
        None => "without faults".into(),
    };
    let mut folded = folded(&strategies, bare);
    folded.extend(self::folded(&strategies, placement));
    contributed(&folded, false)
}

/// Adds up the strategies with the same name.
fn folded(
    strategies: &[StrategyStatistics],
    called: impl Fn(&str) -> String,
) -> Vec<StrategyStatistics> {
    let mut folded: Vec<StrategyStatistics> = Vec::new();
    for strategy in strategies {
        let name = called(&strategy.name);
        match folded.iter_mut().find(|known| known.name == name) {
            Some(known) => {
                known.executions += strategy.executions;
                known.bugs += strategy.bugs;
                known.new_behaviours += strategy.new_behaviours;
                known.elapsed_s += strategy.elapsed_s;
            }
            None => folded.push(StrategyStatistics {
                name,
                ..strategy.clone()
            }),
        }
    }
    folded
}

fn contributed(strategies: &[StrategyStatistics], of_one_test: bool) -> Vec<String> {
    let widest = |text: fn(&StrategyStatistics) -> String| {
        let widths = strategies.iter().map(|strategy| text(strategy).len());
        widths.max().unwrap_or(0)
    };
    let name = widest(|strategy| strategy.name.clone());
    let executions = widest(|strategy| strategy.executions.to_string());
    let noun = |strategy: &StrategyStatistics| match strategy.executions {
        1 => "execution,".to_owned(),
        _ => "executions,".to_owned(),
    };
    let nouns = widest(noun);
    let new = widest(|strategy| strategy.new_behaviours.to_string());
    let line = |strategy: &StrategyStatistics| {
        let failures = match strategy.bugs {
            0 => String::new(),
            bugs => format!(", {}", count(bugs, "failure")),
        };
        // The chance is unknown after a single execution, or if each showed a new behaviour.
        let is_known = strategy.new_chance < 1.0 && strategy.executions > 1;
        let next = match of_one_test && is_known {
            true => format!(", next new {}", percent(strategy.new_chance)),
            false => String::new(),
        };
        format!(
            "  {:name$}  {:>executions$} {:nouns$} {:>new$} new{next}{failures}, {:.2} s",
            strategy.name,
            strategy.executions,
            noun(strategy),
            strategy.new_behaviours,
            strategy.elapsed_s,
        )
    };
    strategies.iter().map(line).collect()
}

fn behaviours(report: &Report) -> String {
    let about = if report.behaviours.exact {
        ""
    } else {
        "about "
    };
    let plural = if report.behaviours.seen == 1 { "" } else { "s" };
    format!(
        "{about}{} distinct behaviour{plural}",
        report.behaviours.seen
    )
}
