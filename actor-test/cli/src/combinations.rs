//! Queries parametrised tests for the combinations of their values.

use super::Trouble;
use super::discover::{Parameters, Test};
use super::ended::never_began;
use super::process;
use crate::words;
use actor_test::tool::overrides::Overrides;
use actor_test::tool::process::ChildJob;
use actor_test::tool::protocol::{ChildEvent, Ignored};

/// Replaces each parametrised test by its combinations. A test whose values can't be listed is kept with the
/// reason; an ignored test is kept, too.
pub(crate) fn ask(
    tests: Vec<Test>,
    given: &Overrides,
    ignored: Ignored,
) -> Result<Vec<Test>, Trouble> {
    let job = question(given, ignored);
    let mut all = Vec::with_capacity(tests.len());
    for test in tests {
        match test.parameters {
            Parameters::Unasked => all.extend(ask_one(&test, &job)?),
            _ => all.push(test),
        }
    }
    Ok(all)
}

/// Returns the tests that are marked `#[ignore]`.
pub(crate) fn ignored(tests: Vec<Test>, given: &Overrides) -> Result<Vec<Test>, Trouble> {
    let job = question(given, Ignored::Only);
    let mut ignored = Vec::new();
    for test in tests {
        let ending = process::run(&test, &job.of(&test.name), &mut |_| ())?;
        if !matches!(ending.answer, Some(ChildEvent::Skipped)) {
            ignored.push(test);
        }
    }
    Ok(ignored)
}

fn question(given: &Overrides, ignored: Ignored) -> ChildJob {
    ChildJob {
        test: String::new(),
        given: given.clone(),
        task: None,
        ignored,
        pin: false,
        decision_log: None,
        hold: false,
    }
}

fn ask_one(test: &Test, job: &ChildJob) -> Result<Vec<Test>, Trouble> {
    let ending = process::run(test, &job.of(&test.name), &mut |_| ())?;
    let problem = match ending.answer {
        Some(ChildEvent::Combinations { names }) => {
            let parameters = Parameters::OneOf(names.len());
            let combination = |name: &String| Test {
                parameters: parameters.clone(),
                ..test.named(name)
            };
            return Ok(names.iter().map(combination).collect());
        }
        Some(ChildEvent::Skipped) => return Ok(vec![test.clone()]),
        Some(ChildEvent::Refused { problem, .. }) => problem,
        Some(_) => words::wrong_answer(),
        None => never_began(&ending),
    };
    Ok(vec![Test {
        parameters: Parameters::Unknown(problem),
        ..test.clone()
    }])
}
