//! Formats the failure of a requested proof.

use super::count;
use super::foreign::uncontrolled;
use super::layout::{hanging, indented};
use super::statistics::explored;
use super::unreached::unreached;
use super::verdict::gaps;
use super::warnings::warnings;
use crate::data::coverage_claim::Gap;
use crate::report::data::{ProofAttempt, Report};
use crate::report::verdict::SearchKind;

/// Formats the report of a test without a bug that was to be proved, and is not.
pub fn unproved(report: &Report, notes: &[String]) -> String {
    let mut lines = vec![format!(
        "UNPROVED  {}  {}",
        report.test,
        hanging(&no_proof(report))
    )];
    lines.extend(indented(explored(report)));
    lines.extend(indented(unreached(&report.coverage).into_iter().collect()));
    lines.extend(indented(warnings(report, notes)));
    lines.join("\n")
}

/// Formats the attempts, the gap that prevented a proof, and a remedy.
pub fn no_proof(report: &Report) -> String {
    let mut done: Vec<String> = report.tried.iter().map(tried).collect();
    let last = match &report.verdict.searched {
        SearchKind::Systematic { strategy, .. } => {
            let executions = report.executions;
            done.push(came(strategy, executions, &report.verdict.gaps));
            report.verdict.gaps.first()
        }
        SearchKind::Sample { .. } => {
            let executions = count(report.executions, "execution");
            done.push(format!("samples, {executions}: no bug"));
            report.tried.last().and_then(|tried| tried.gaps.first())
        }
    };
    let what_to_do = last.map_or_else(String::new, |gap| format!("; to prove it, {}", remedy(gap)));
    format!(
        "no bug was found, and nothing is proved: {}{what_to_do}",
        done.join("; ")
    )
}

fn tried(tried: &ProofAttempt) -> String {
    came(&tried.strategy, tried.executions, &tried.gaps)
}

fn came(strategy: &str, executions: u64, left_out: &[Gap]) -> String {
    let executions = count(executions, "execution");
    format!("{strategy}, {executions}: {}", gaps(left_out))
}

/// Suggests a remedy for a gap.
fn remedy(gap: &Gap) -> String {
    match gap {
        Gap::Unsupported { .. } => {
            "take `--exhaustive` without a name, which goes on with states".into()
        }
        Gap::Steps { .. } => {
            "have it end within the bound, by `sys.finish()` for instance, or raise that (-m)"
                .into()
        }
        Gap::Ticks { .. } => {
            "send the ticks yourself, as many as the test needs, in place of a timer".into()
        }
        Gap::Seeds { .. } => {
            "let `cx.choose` decide in place of `cx.rng()`: each of its answers is tried".into()
        }
        Gap::System { .. } => {
            "use what has one order, as BTreeMap, in place of what the system's random bytes decide"
                .into()
        }
        Gap::Budget { .. } | Gap::TooMany { .. } | Gap::NoEnd { .. } => {
            "make the test smaller, or let `--exhaustive=states` go on for as long as it takes"
                .into()
        }
        Gap::States { .. } => {
            "make the test smaller, or let it know more states, by `--exhaustive=states:N`".into()
        }
        Gap::Histories { .. } => {
            "make the test smaller, or let it know more histories, by `--exhaustive=dpor:N`".into()
        }
        Gap::Orders { .. } => {
            "make the test smaller, or have its monitors observe fewer events".into()
        }
        Gap::Executions { .. } => "allow more executions, or any number, without -i".into(),
        Gap::Time => "allow more time, or as much as it takes, without --for".into(),
        Gap::Saturated => "leave --until-saturated away".into(),
        Gap::Nondeterministic | Gap::Diverged { .. } | Gap::Refuted => format!(
            "look for what decides behind the tester's back: {}",
            uncontrolled()
        ),
        _ => "leave out of the test what stood in the way, and test that by itself".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::constructs::StepConstruct;
    use crate::settings::Settings;

    fn tried(strategy: &str, gap: Gap) -> ProofAttempt {
        ProofAttempt {
            strategy: strategy.into(),
            executions: 2,
            steps: 0,
            gaps: vec![gap],
        }
    }

    #[test]
    fn what_was_done_what_stood_in_the_way_and_what_to_do() {
        let mut report = Report::empty("a test", &Settings::default());
        let outside = Gap::Unsupported {
            what: StepConstruct::Disk,
            who: None,
        };
        report.tried = vec![
            tried("dpor", outside),
            tried("states", Gap::NoEnd { states: 9 }),
        ];
        report.executions = 1;
        assert_eq!(
            unproved(&report, &[]).lines().next(),
            Some(
                "UNPROVED  a test  no bug was found, and nothing is proved: dpor, 2 executions: it can't \
                 follow a step which uses a disk; states, 2 executions: no end was in sight at 9 states; \
                 samples, 1 execution: no bug; to prove it, make the test smaller, or let \
                 `--exhaustive=states` go on for as long as it takes"
            )
        );
    }
}
