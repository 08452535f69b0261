//! All words for people: one function per event or situation.
//!
//! Nothing here prints or paints; lines begin with the word that a terminal colours.

#[cfg(feature = "cli")]
mod coverage;
#[cfg(feature = "cli")]
mod tool;
mod unreached;

use std::path::PathBuf;
use std::time::Duration;

use crate::exploring::confirmation::Confirmation;
use crate::hosting::attribute::ActorTest;
use crate::report::bug::{BugKind, Finding};
use crate::report::facts::{BehaviourStatistics, Bug, Report, StrategyStatistics};
use crate::settings::values::Bounds;
use crate::trace;
use crate::trace::story::{MonitorStep, StoryStep};
#[cfg(feature = "cli")]
pub(crate) use coverage::*;
#[cfg(feature = "cli")]
pub(crate) use tool::*;
pub(crate) use unreached::{unreached, unreached_parts};

/// How many steps of a story end a failing test's report.
const LAST_STEPS: usize = 12;

/// How wide a story is where nobody says.
pub(crate) const WIDTH: usize = 120;

/// From where, and with what selection of cargo's, the commands are to be typed.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The directory.
    pub(crate) here: PathBuf,
    /// Cargo's flags, `-p samples` for instance.
    pub(crate) selection: Vec<String>,
    /// How wide a line of the story may be.
    pub(crate) width: usize,
}

impl Place {
    /// Under `cargo test`.
    pub(crate) fn of_shell() -> Self {
        Self {
            here: trace::shell_directory(),
            selection: Vec::new(),
            width: WIDTH,
        }
    }

    fn selection(&self) -> String {
        self.selection
            .iter()
            .map(|flag| format!(" {flag}"))
            .collect()
    }
}

/// The report of a failing test.
pub(crate) fn failure(report: &Report) -> String {
    failed(report, &[], &Place::of_shell())
}

/// The report of a test whose expected bug was not found.
pub(crate) fn missing(report: &Report, expected: &str) -> String {
    unexpected(report, expected, &[], &Place::of_shell())
}

/// A test in which a bug was found.
pub(crate) fn failed(report: &Report, notes: &[String], place: &Place) -> String {
    let mut lines = Vec::new();
    for bug in &report.bugs {
        lines.push(format!(
            "FAIL  {}  {}",
            report.test,
            hanging(&finding(&bug.finding))
        ));
        lines.extend(indented(evidence(report, bug, place)));
    }
    lines.extend(indented(failing_statistics(report)));
    lines.extend(indented(warnings(report, notes)));
    lines.extend(
        report
            .bugs
            .first()
            .into_iter()
            .flat_map(|bug| last_steps(bug, place)),
    );
    lines.join("\n")
}

/// A test whose expected bug was not found: nothing was, or something else.
pub(crate) fn unexpected(
    report: &Report,
    expected: &str,
    notes: &[String],
    place: &Place,
) -> String {
    let mut lines = vec![format!(
        "FAIL  {}  {}",
        report.test,
        hanging(&unmet(report, expected))
    )];
    let found = report.bugs.first();
    lines.extend(indented(
        found.map_or_else(Vec::new, |bug| evidence(report, bug, place)),
    ));
    lines.extend(indented(failing_statistics(report)));
    lines.extend(indented(warnings(report, notes)));
    lines.extend(found.into_iter().flat_map(|bug| last_steps(bug, place)));
    lines.join("\n")
}

/// That an expected bug was not found, and what was.
pub(crate) fn unmet(report: &Report, expected: &str) -> String {
    let head = format!("expected the bug \"{expected}\", but ");
    match report.bugs.first() {
        Some(bug) => format!("{head}found {}", finding(&bug.finding)),
        None => format!(
            "{head}{} found none; is it fixed? then remove `expect_bug`, else give more iterations or \
             another seed",
            count(report.executions, "execution")
        ),
    }
}

/// A test without a bug.
pub(crate) fn passed(report: &Report, notes: &[String]) -> String {
    let all = if report.exhausted {
        " (every schedule up to the bound)"
    } else {
        ""
    };
    let mut lines = vec![format!(
        "PASS  {}  {}{all}, {:.2} s",
        report.test,
        count(report.executions, "execution"),
        report.elapsed_s
    )];
    lines.extend(indented(explored(report)));
    lines.extend(indented(unreached(&report.coverage).into_iter().collect()));
    lines.extend(indented(warnings(report, notes)));
    lines.join("\n")
}

/// A combination of parameters without the bug that one combination at least should have.
pub(crate) fn without(report: &Report, expected: &str, notes: &[String]) -> String {
    let passed = passed(report, notes);
    format!("{passed}\n      without the bug \"{expected}\", which is expected in one combination")
}

/// A test none of whose combinations has the bug that is expected.
pub(crate) fn in_no_combination(test: &str, expected: &str, combinations: usize) -> String {
    format!(
        "FAIL  {test}  {}; is it fixed? then remove `expect_bug`, else give more iterations or \
         another seed",
        missing_everywhere(expected, combinations)
    )
}

/// The same, in a few words.
pub(crate) fn missing_everywhere(expected: &str, combinations: usize) -> String {
    format!(
        "the expected bug \"{expected}\" was found in none of {}",
        count(combinations as u64, "combination")
    )
}

/// A test whose expected bug was found.
pub(crate) fn expected(report: &Report, bug: &Bug, notes: &[String], place: &Place) -> String {
    let mut lines = vec![format!(
        "PASS  {}  found the expected bug: {}",
        report.test,
        hanging(&finding(&bug.finding))
    )];
    lines.extend(indented(vec![circumstances(report, bug)]));
    let show = bug.trace_path.as_ref().map(|path| {
        let path = trace::short(path, &place.here);
        format!("show:       cargo actor-test show {path}")
    });
    lines.extend(indented(show.into_iter().collect()));
    lines.extend(indented(statistics(report)));
    lines.extend(indented(warnings(report, notes)));
    lines.join("\n")
}

/// What was found, in a sentence.
pub(crate) fn finding(finding: &Finding) -> String {
    let at = finding
        .location
        .as_ref()
        .map(|at| format!(" ({at})"))
        .unwrap_or_default();
    format!("{}: {}{at}", finding.kind.word(), finding.message)
}

/// How a bug was found, and how to see it again.
fn evidence(report: &Report, bug: &Bug, place: &Place) -> Vec<String> {
    if bug.kind().concerns_all() {
        return vec![denied(report)];
    }
    let mut lines = vec![circumstances(report, bug)];
    lines.extend(bug.confirmation.as_ref().map(confirmed));
    let selection = place.selection();
    if let Some(path) = &bug.trace_path {
        let path = trace::short(path, &place.here);
        lines.push(format!(
            "replay:     cargo actor-test replay {path}{selection}"
        ));
    }
    if !bug.token.is_empty() {
        let bounds = bounds(&report.bounds);
        let (test, token) = (&report.test, &bug.token);
        lines.push(format!(
            "reproduce:  cargo actor-test {} --reproduce {token}{bounds}{selection}",
            trace::quoted(test)
        ));
    }
    lines
}

/// Why a test failed though no execution did.
fn denied(report: &Report) -> String {
    format!(
        "seed {}; that is denied: more iterations (-i) may reach it, --deny none allows it",
        report.seed
    )
}

fn circumstances(report: &Report, bug: &Bug) -> String {
    let of = match report.iterations {
        u64::MAX => String::new(),
        iterations => format!(" of {iterations}"),
    };
    let step = match bug.finding.step {
        0 => String::new(),
        step => format!(", step {step}"),
    };
    format!(
        "{}, iteration {}{of}, seed {}{step} · found in {:.2} s",
        bug.strategy,
        bug.iteration + 1,
        bug.seed,
        bug.found_after_s
    )
}

/// That what is owed is not just late.
fn confirmed(confirmation: &Confirmation) -> String {
    format!(
        "none of {} fair continuations recovered: a chance of recovery above {:.1} % is ruled out at \
         95 %",
        confirmation.continuations,
        confirmation.chance_bound() * 100.0
    )
}

/// The flags for bounds that are not the default ones.
fn bounds(bounds: &Bounds) -> String {
    let mut flags = String::new();
    let (unfair, fair) = (bounds.unfair(), bounds.fair());
    if (unfair, fair) != (Bounds::default().unfair(), Bounds::default().fair()) {
        flags += &format!(" -m {unfair}");
        if fair != unfair.saturating_mul(10) {
            flags += &format!(":{fair}");
        }
    }
    if bounds.temperature() != fair / 2 {
        flags += &format!(" --temperature {}", bounds.temperature());
    }
    flags
}

/// How much was explored, and what.
fn statistics(report: &Report) -> Vec<String> {
    let mut lines = explored(report);
    if let Some(first) = lines.first_mut() {
        *first = format!("{}: {first}", count(report.executions, "execution"));
    }
    lines
}

/// The same for a test that fails: with what each strategy contributed.
fn failing_statistics(report: &Report) -> Vec<String> {
    let mut lines = statistics(report);
    lines.extend(strategies(&report.strategies, true));
    lines
}

/// What was explored; the number of executions stands before it.
fn explored(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    if report.executions == 0 {
        return lines;
    }
    let mut line = format!("{} fair, {} unfair", report.fair, report.unfair);
    if let Some(steps) = report.steps {
        line += &format!(
            " · steps in fair terminating executions {} min, {} avg, {} max",
            steps.min, steps.avg, steps.max
        );
    }
    lines.push(line);
    let mut parts: Vec<String> = long_ones(report).collect();
    parts.push(behaviours(report));
    parts.push(saturation(report));
    lines.push(parts.join(" · "));
    if report.calibrated {
        let bounds = report.bounds;
        lines.push(format!(
            "bounds found to fit: -m {}:{}, threshold {}",
            bounds.unfair(),
            bounds.fair(),
            bounds.temperature()
        ));
    }
    if !report.covered.is_empty() {
        let label = |(label, times): (&String, &u64)| format!("\"{label}\" in {times}");
        let labels: Vec<String> = report.covered.iter().map(label).collect();
        lines.push(format!("came by {}", labels.join(", ")));
    }
    lines
}

/// How many executions were longer than the bounds, fair ones and unfair ones.
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

/// What each strategy contributed, for those that had a turn.
/// Over several tests there is no chance of the next execution to tell.
pub(crate) fn strategies(strategies: &[StrategyStatistics], of_one_test: bool) -> Vec<String> {
    let had_a_turn = |strategy: &&StrategyStatistics| strategy.executions > 0;
    let strategies: Vec<_> = strategies.iter().filter(had_a_turn).collect();
    if strategies.len() < 2 {
        return Vec::new();
    }
    let widest = |text: fn(&StrategyStatistics) -> String| {
        let widths = strategies.iter().map(|strategy| text(strategy).len());
        widths.max().unwrap_or(0)
    };
    let name = widest(|strategy| strategy.name.clone());
    let executions = widest(|strategy| count(strategy.executions, "execution"));
    let new = widest(|strategy| strategy.new_behaviours.to_string());
    let line = |strategy: &&StrategyStatistics| {
        let failures = match strategy.bugs {
            0 => String::new(),
            bugs => format!(", {}", count(bugs, "failure")),
        };
        let next = match of_one_test {
            true => format!(", next new {}", percent(strategy.new_chance)),
            false => String::new(),
        };
        format!(
            "  {:name$}  {:>executions$}, {:>new$} new{next}{failures}, {:.2} s",
            strategy.name,
            count(strategy.executions, "execution"),
            strategy.new_behaviours,
            strategy.elapsed_s,
        )
    };
    strategies.iter().map(line).collect()
}

/// How far the search has come, as far as can be told.
fn saturation(report: &Report) -> String {
    let BehaviourStatistics {
        seen,
        new_chance,
        at_least,
        ..
    } = report.behaviours;
    if report.exhausted {
        return "exhaustive".into();
    }
    let verdict = if new_chance == 0.0 {
        "each of them more than once".into()
    } else if new_chance > 0.5 {
        "far from saturated".into()
    } else {
        let share = seen as f64 / at_least.max(1) as f64;
        // After few executions the one estimate may know of nothing more where the other does.
        let share = share.min(1.0 - new_chance) * 100.0;
        format!("about {share:.0} % of behaviours seen")
    };
    match new_chance {
        0.0 => verdict,
        _ => format!(
            "{} chance that the next is new, {verdict}",
            percent(new_chance)
        ),
    }
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

/// What was not judged, and what could not have failed.
fn warnings(report: &Report, notes: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    if report.undecided > 0 {
        let example = report.undecided_example.as_deref().unwrap_or("something");
        lines.push(format!(
            "warning: liveness undecided in {} of {}: at the bound, {example}; raise the bound (-m) \
             or lower --temperature",
            report.undecided,
            count(report.executions, "execution")
        ));
    }
    if report.transient > 0 {
        let example = report.transient_example.as_deref().unwrap_or("something");
        lines.push(format!(
            "note: {} of {} owed something for longer than the threshold, but recovered in a fair \
             continuation, so it was slow and no bug: {example}",
            report.transient,
            count(report.executions, "execution")
        ));
    }
    if !report.opaque.is_empty() {
        lines.push(format!(
            "note: states can't be compared, so what goes round in circles is found by its temperature \
             alone: {} offer neither `Hash` nor `Fingerprint`",
            report.opaque.join(", ")
        ));
    }
    if report.liveness_unchecked {
        lines.push(
            "warning: liveness was not checked: no strategy was fair; add one, `-s random` for \
             instance"
                .into(),
        );
    }
    let denied = report.bugs.iter().any(|bug| bug.kind() == BugKind::Vacuous);
    let vacuous = report.vacuous.iter().filter(|_| !denied);
    lines.extend(vacuous.map(|what| format!("warning: {what}; it could not have failed")));
    lines.extend(notes.iter().map(|note| format!("warning: {note}")));
    lines
}

/// The end of a failing execution's story.
fn last_steps(bug: &Bug, place: &Place) -> Vec<String> {
    let story = &bug.trace.story;
    if story.is_empty() {
        return Vec::new();
    }
    let last = &story[story.len().saturating_sub(LAST_STEPS)..];
    let mut lines = Vec::new();
    let how = match &bug.trace_path {
        Some(path) if last.len() < story.len() => {
            format!(
                "; all of them: cargo actor-test show {}",
                trace::short(path, &place.here)
            )
        }
        _ => String::new(),
    };
    lines.push(format!(
        "      the last {} of {}{how}",
        last.len(),
        count(story.len() as u64, "step")
    ));
    let width = place.width.saturating_sub(6);
    lines.extend(
        story_lines(last, width)
            .into_iter()
            .map(|line| format!("      {line}")),
    );
    lines
}

/// A story as columns: step, time, actor, what, its state, the monitors.
pub(crate) fn story_lines(steps: &[StoryStep], width: usize) -> Vec<String> {
    let rows: Vec<([String; 4], Happened)> = steps
        .iter()
        .map(|step| (row(step), Happened::in_step(step)))
        .collect();
    let widest = |column: usize| {
        let widths = rows.iter().map(|(row, _)| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let (step, time, actor, state) = (widest(0), widest(1), widest(2).min(24), widest(3));
    // The rest is for what happened.
    let taken = step + time + actor + 6 + if state > 0 { state + 2 } else { 0 };
    let longest = rows.iter().map(|(_, happened)| happened.width()).max();
    let room = width.saturating_sub(taken).max(30);
    let what = longest.unwrap_or(0).min(room);
    let line = |([number, at, who, became], happened): &([String; 4], Happened)| {
        let line = format!(
            "{number:>step$}  {at:>time$}  {}  {}  {became}",
            fit(who, actor),
            fit(&happened.within(what), what)
        );
        cut(line.trim_end(), width)
    };
    rows.iter().map(line).collect()
}

fn row(step: &StoryStep) -> [String; 4] {
    [
        step.step.to_string(),
        virtual_time(step.time_ns),
        step.actor.clone(),
        became(step),
    ]
}

/// What happened in a step: what its actor does.
pub(crate) fn what(step: &StoryStep) -> String {
    Happened::in_step(step).within(usize::MAX)
}

/// What happened in a step. The event is between what it needs least to be cut: it may be long, and
/// who else takes part counts more than its last field.
struct Happened {
    before: String,
    event: String,
    after: String,
}

/// What is left of an event, at least.
const EVENT_MIN: usize = 16;

impl Happened {
    fn in_step(step: &StoryStep) -> Self {
        let verb = match step.kind.as_str() {
            "start" => "starts",
            "handle" => "handles",
            "flush" if step.event.is_some() => "sends",
            // What else an outbox holds stands in the notes.
            "flush" if !step.notes.is_empty() => return Self::told(&step.notes),
            "resume" => "resumes",
            "timer" if step.event.is_some() => "timer fires:",
            "timer" => "timer fires",
            kind => kind,
        };
        let mut after = String::new();
        if let Some(to) = &step.to {
            after += &format!(" to {to}");
        }
        if let Some(from) = &step.from {
            after += &format!(" from {from}");
        }
        if !step.choices.is_empty() {
            let choices: Vec<String> = step.choices.iter().map(u32::to_string).collect();
            after += &format!(", chooses {}", choices.join(", "));
        }
        for note in &step.notes {
            after += &format!(", {note}");
        }
        Self {
            before: verb.to_owned(),
            event: step.event.as_deref().map(in_a_line).unwrap_or_default(),
            after: in_a_line(&after),
        }
    }

    fn told(notes: &[String]) -> Self {
        Self {
            before: in_a_line(&notes.join(", ")),
            event: String::new(),
            after: String::new(),
        }
    }

    fn width(&self) -> usize {
        self.within(usize::MAX).chars().count()
    }

    /// Cuts the event first, where all is too long.
    fn within(&self, width: usize) -> String {
        let Self {
            before,
            event,
            after,
        } = self;
        let blanks = usize::from(!event.is_empty()) + usize::from(starts_with_word(after));
        let others = before.chars().count() + after.chars().count() + blanks;
        let event = cut(event, width.saturating_sub(others).max(EVENT_MIN));
        let mut text = before.clone();
        for part in [&event, after] {
            if starts_with_word(part) {
                text.push(' ');
            }
            text += part;
        }
        cut(&text, width)
    }
}

/// A comma follows without a blank.
fn starts_with_word(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(',')
}

fn in_a_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What became of states: the actor's, then the monitors'.
fn became(step: &StoryStep) -> String {
    let state = match (&step.state, &step.state_after) {
        (Some(before), Some(after)) => Some(format!("{before} → {after}")),
        (Some(state), None) => Some(state.clone()),
        (None, Some(after)) => Some(format!("→ {after}")),
        (None, None) => None,
    };
    let monitor = |change: &MonitorStep| {
        format!(
            "[{}: {} → {} ({})]",
            change.monitor, change.from, change.to, change.temperature
        )
    };
    let parts = state.into_iter().chain(step.monitors.iter().map(monitor));
    parts.collect::<Vec<_>>().join("  ")
}

fn virtual_time(nanoseconds: u64) -> String {
    match nanoseconds {
        0 => "0".into(),
        _ => format!("{:?}", Duration::from_nanos(nanoseconds)),
    }
}

fn fit(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let blank = width.saturating_sub(text.chars().count());
    text + &" ".repeat(blank)
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars()
        .take(width.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// A saved schedule that no longer fits its test.
pub(crate) fn stale_schedule(file: &str, step: u64, message: &str) -> String {
    format!(
        "the saved schedule {file} no longer fits the test (step {step}: {message}); it was not \
         judged; record it anew or remove it"
    )
}

/// The short message of a failing test's panic under `cargo test`; the report stands above it.
pub(crate) fn panic(report: &Report, expected: Option<&str>) -> String {
    match (expected, report.bugs.first()) {
        (Some(expected), _) => format!("the expected bug \"{expected}\" was not found"),
        (None, Some(bug)) => format!("actor test failed: {}", finding(&bug.finding)),
        (None, None) => "actor test failed".into(),
    }
}

/// The same for a test with parameters: how many combinations failed, and the first of them.
pub(crate) fn panic_of_combinations(failed: &[(String, String)], all: usize) -> String {
    let first = failed
        .first()
        .map(|(name, why)| format!(", first in {name}: {why}"));
    format!(
        "{} of {} failed{}",
        failed.len(),
        count(all as u64, "combination"),
        first.unwrap_or_default()
    )
}

/// A trace, or a request, of a combination that a test does not have.
pub(crate) fn no_such_combination(name: &str, test: &ActorTest) -> String {
    let names: Vec<&str> = test
        .parameters
        .iter()
        .map(|parameter| parameter.name())
        .collect();
    let now = match names[..] {
        [] => "it takes no parameters".to_owned(),
        _ => format!("it takes {}, and not with these values", names.join(", ")),
    };
    format!(
        "{name} is no combination of the test's parameters: {now}; were they changed? or does the \
         `Debug` of a value print something else in each process?"
    )
}

/// Threads that were started once, in a pool most likely.
pub(crate) fn lasting_threads(threads: usize) -> String {
    let (are, verb) = if threads == 1 {
        ("", "runs")
    } else {
        ("s", "run")
    };
    format!(
        "{threads} thread{are} that the test started still {verb} after it; what threads do is not \
         controlled by the tester"
    )
}

/// Threads that each execution leaves behind.
pub(crate) fn leaked_threads() -> String {
    "the test starts a thread that still runs after the execution; what threads do is not controlled \
     by the tester, and each execution adds to them: join it, or use an actor"
        .into()
}

/// `1 execution`, `2 executions`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// Lines after the first stand under the first.
fn hanging(text: &str) -> String {
    text.replace('\n', "\n      ")
}

fn indented(lines: Vec<String>) -> impl Iterator<Item = String> {
    lines
        .into_iter()
        .map(|line| format!("      {}", hanging(&line)))
}
