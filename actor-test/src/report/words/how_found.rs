//! Formats how a bug was found, and the commands that reproduce it.

use super::command::CommandContext;
use crate::data::bug::BugKind;
use crate::plural::count;
use crate::report::confirmation::Confirmation;
use crate::report::data::{Bug, Report};
use crate::report::minimized::Minimized;
use crate::report::shell;
use crate::settings::Bounds;

/// Formats how a bug was found, and the commands that reproduce it.
pub fn evidence(report: &Report, bug: &Bug, place: &CommandContext) -> Vec<String> {
    if bug.kind().concerns_all() {
        return vec![denied(report, bug.kind())];
    }
    let mut lines = vec![circumstances(report, bug)];
    lines.extend(seen(report, bug));
    lines.extend(bug.confirmation.as_ref().map(confirmed));
    lines.extend(bug.minimized.iter().flat_map(minimized));
    let mut selection = place.selection();
    if bug.kind() == BugKind::Hang
        && let Some(limit) = place.hang_timeout
    {
        selection = format!(" --hang-timeout {limit:?}{selection}");
    }
    if let Some(path) = &bug.trace_path {
        let path = shell::short(path, &place.here);
        lines.push(format!(
            "replay:     cargo actor-test replay {path}{selection}"
        ));
    }
    if !bug.token.is_empty() {
        let test = place.test.as_ref().unwrap_or(&report.test);
        let line = reproduced(test, &bug.token, &bug.trace.bounds, &selection);
        lines.push(line);
    }
    lines
}

/// Formats the command that reproduces an execution without a trace.
pub(super) fn reproduced(test: &str, token: &str, of: &Bounds, selection: &str) -> String {
    format!(
        "reproduce:  cargo actor-test {} --reproduce {token}{}{selection}",
        shell::quoted(test),
        bounds(of)
    )
}

/// Explains why a test failed though no execution did.
fn denied(report: &Report, kind: BugKind) -> String {
    if kind == BugKind::Idle {
        return format!("seed {}", report.seed);
    }
    format!(
        "seed {}; that is denied: more iterations (-i) may reach it, --deny none allows it",
        report.seed
    )
}

pub(super) fn circumstances(report: &Report, bug: &Bug) -> String {
    let of = match report.iterations {
        u64::MAX => String::new(),
        // A search that depends on its history repeats an iteration by way of the earlier ones.
        iterations if iterations < bug.iteration => String::new(),
        iterations => format!(" of {iterations}"),
    };
    let found_at = bug.minimized.as_ref().map(|minimized| minimized.found_at);
    let step = match found_at.unwrap_or(bug.finding.step) {
        0 => String::new(),
        step => format!(", step {step}"),
    };
    format!(
        "{}, iteration {}{of}, seed {}{step} · found in {:.2} s",
        bug.strategy, bug.iteration, bug.seed, bug.found_after_s
    )
}

/// Formats how often a bug was seen, if more than one execution failed.
fn seen(report: &Report, bug: &Bug) -> Option<String> {
    let failed: u64 = report.bugs.iter().map(|bug| bug.seen).sum();
    let shortest = match bug.confirmation {
        _ if bug.seen == 1 => "",
        // A shorter execution got fewer continuations, since the test already had this bug.
        Some(_) => "; this is one of them",
        None => "; this is the shortest of them",
    };
    // Searches that were tried may have found the bug as well.
    let tried: u64 = report.tried.iter().map(|tried| tried.executions).sum();
    // The executions of saved schedules are counted separately.
    let of = match bug.is_saved() {
        true => count(bug.seen, "execution"),
        false => format!(
            "{} of {}",
            bug.seen,
            count(report.executions + tried, "execution")
        ),
    };
    (failed + report.unlisted > 1).then(|| format!("seen in {of}{shortest}"))
}

/// States that the pending obligation is not just late.
fn confirmed(confirmation: &Confirmation) -> String {
    format!(
        "none of {} fair continuations of {} steps recovered: what recovers within as many steps with \
         a chance of {:.0} % or more is accused in at most 1 run of {:.0}",
        confirmation.continuations,
        confirmation.horizon,
        Confirmation::CHANCE * 100.0,
        1.0 / Confirmation::RISK
    )
}

/// Formats the result and the cost of minimisation.
pub fn minimized(minimized: &Minimized) -> Vec<String> {
    let Minimized {
        before,
        after,
        executions,
        steps,
        is_cut,
        dead,
        ..
    } = minimized;
    let cut = match is_cut {
        true => "; more may be needless, --minimize gives it more time",
        false => "",
    };
    let (executions, steps) = (count(*executions, "execution"), count(*steps, "step"));
    let mut lines = vec![match *is_cut && before == after {
        true => format!("minimised:  nothing is left out so far ({executions}, {steps}{cut})"),
        false => format!(
            "minimised:  {before} → {after} ({executions}, {steps}{cut}; reproduce finds the longer one)"
        ),
    }];
    lines.extend(
        (before.faults > 0).then(|| match (after.faults, before.faults) {
            (0, 1) => "it does not need the fault".into(),
            (1, 1) => "it needs the fault".into(),
            (0, all) => format!("it needs none of {}", count(all, "fault")),
            (needed, all) => format!("it needs {needed} of {}", count(all, "fault")),
        }),
    );
    lines.extend(dead.as_ref().map(|dead| {
        let others = match dead.delayed {
            0 => String::new(),
            delayed => format!(", nor any of {delayed} of 2000 steps in which some wait at first"),
        };
        format!(
            "it is lost after step {}: from there none of {} fair continuations of {} steps \
             recovered{others}",
            dead.from, dead.continuations, dead.horizon
        )
    }));
    lines
}

/// Formats the flags for bounds other than the default ones.
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
