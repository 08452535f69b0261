//! `cargo actor-test merge`: adds up the results of the parts of a search.

use std::collections::BTreeMap;

use super::options::{Format, Merge, Told};
use super::results::{Entry, Results};
use super::screen::Screen;
use super::verdict::{Tally, verdict};
use super::{Exit, Trouble};
use crate::words::{self, Place};
use actor_test::Report;
use actor_test::tool::trace;

/// Merges the files, and tells of each test as if it had been explored in one run.
pub(crate) fn run(options: &Merge, screen: &mut Screen) -> Result<Exit, Trouble> {
    let here = std::env::current_dir().unwrap_or_default();
    let place = Place {
        here: here.clone(),
        selection: Vec::new(),
        width: words::WIDTH,
        hang_timeout: None,
        test: None,
    };
    let mut tests: BTreeMap<(String, String), Vec<Report>> = BTreeMap::new();
    for file in &options.files {
        for Entry { package, report } in Results::read(file)?.tests {
            let test = report.test.clone();
            tests.entry((package, test)).or_default().push(report);
        }
    }
    let mut tally = Tally::default();
    for ((package, test), parts) in tests {
        let expected = Report::expected(&parts);
        let mut report =
            Report::merge(parts).map_err(|error| Trouble(format!("package {package}, {error}")))?;
        let notes = trace::write_all(&mut report, Some(&package), &here.join(&options.traces));
        let verdict = verdict(
            test.contains('['),
            report,
            notes.into_iter().collect(),
            expected,
        );
        tally.count(&verdict, &package);
        match options.format {
            Format::Json => screen.raw(&verdict.as_json(&test, &package).to_string()),
            Format::Human => screen.line(&verdict.block(&test, &place).unwrap_or_default()),
        }
    }
    let tests = tally.tests();
    tally.close(tests, options.format, Told::All, None, screen);
    Ok(tally.exit())
}
