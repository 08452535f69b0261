//! The subcommand `merge`: merges the results of the parts of a search.

use std::collections::BTreeMap;

use super::build::TestTarget;
use super::options::{Format, Merge, Verbosity};
use super::results::{Results, TestResult};
use super::screen::Screen;
use super::verdict::{VerdictCounts, verdict};
use super::{Exit, Trouble};
use crate::words::{self, CommandContext};
use actor_test::Report;
use actor_test::tool::trace;

/// Merges the files, and reports each test as if it had been explored in one run.
pub(crate) fn run(options: &Merge, screen: &mut Screen) -> Result<Exit, Trouble> {
    let here = std::env::current_dir().unwrap_or_default();
    let place = CommandContext {
        here: here.clone(),
        selection: Vec::new(),
        width: words::WIDTH,
        hang_timeout: None,
        test: None,
    };
    let mut tests: BTreeMap<(TestTarget, String), Vec<Report>> = BTreeMap::new();
    for file in &options.files {
        for TestResult { home, report } in Results::read(file)?.tests {
            let test = report.test.clone();
            tests.entry((home, test)).or_default().push(report);
        }
    }
    let mut homes: BTreeMap<String, usize> = BTreeMap::new();
    for (_, test) in tests.keys() {
        *homes.entry(test.clone()).or_default() += 1;
    }
    let mut tally = VerdictCounts::default();
    for ((home, test), parts) in tests {
        let package = &home.package;
        let expected = Report::expected(&parts);
        let mut report =
            Report::merge(parts).map_err(|error| Trouble(format!("package {package}, {error}")))?;
        let notes = trace::write_all(&mut report, Some(package), &here.join(&options.traces));
        let verdict = verdict(
            test.contains('['),
            report,
            notes.into_iter().collect(),
            expected,
        );
        tally.count(&verdict, &home);
        // The package and target are added if two tests have the path.
        let title = match homes[&test] {
            1 => test.clone(),
            _ => format!("{test} -p {package} {}", home.target),
        };
        match options.format {
            Format::Json => screen.raw(&verdict.as_json(&test, &home).to_string()),
            Format::Human => screen.line(&verdict.block(&title, &place).unwrap_or_default()),
        }
    }
    let tests = tally.tests();
    tally.close(tests, options.format, Verbosity::All, None, screen);
    Ok(tally.exit())
}
