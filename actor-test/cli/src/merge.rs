//! The subcommand `merge`: merges the results of the parts of a search.

use std::collections::BTreeMap;
use std::path::Path;

use super::build::TestTarget;
use super::options::{Format, Merge, Verbosity};
use super::screen::Screen;
use super::verdict::{TestVerdict, VerdictCounts};
use super::{Exit, Trouble};
use crate::words::{self, CommandContext};
use actor_test::Report;
use actor_test::tool::JudgedTest;
use actor_test::tool::search_dir::{EndedPart, read_search_dir};
use actor_test::tool::trace;

/// Merges the parts in the directory, and reports each test as if it had been explored in one run.
pub(crate) fn run(options: &Merge, screen: &mut Screen) -> Result<Exit, Trouble> {
    let here = std::env::current_dir().unwrap_or_default();
    let place = CommandContext {
        here: here.clone(),
        selection: Vec::new(),
        width: words::WIDTH,
        hang_timeout: None,
        test: None,
        lists_strategies: true,
    };
    let searches = read_search_dir(&options.directory).map_err(Trouble)?;
    if searches.is_empty() {
        return Err(Trouble(format!(
            "{} holds no part of a search; `cargo actor-test --partition K/N --search-dir DIR` writes one",
            options.directory.display()
        )));
    }
    let mut tests: BTreeMap<(TestTarget, String), Vec<EndedPart>> = BTreeMap::new();
    for search in searches {
        let Some(part) = search.ended.first() else {
            return Err(Trouble(format!("{}: no part has ended", search.test)));
        };
        let target = search.directory.parent().and_then(Path::file_name);
        let target = target.unwrap_or_default().to_string_lossy();
        let home = TestTarget::of_directory(part.package.clone(), &target);
        tests.insert((home, search.test), search.ended);
    }
    let mut homes: BTreeMap<String, usize> = BTreeMap::new();
    for (_, test) in tests.keys() {
        *homes.entry(test.clone()).or_default() += 1;
    }
    let mut tally = VerdictCounts::default();
    for ((home, test), parts) in tests {
        let package = &home.package;
        let expected = parts[0].expect_bug.clone();
        let mut reports = parts.into_iter().map(|part| part.report).peekable();
        // Each process of a search that is not a sample has the result of the whole.
        let whole = reports.next_if(|report| !report.is_of_a_part());
        let merged = whole.map_or_else(|| Report::merge(reports), Ok);
        let mut report = merged.map_err(|error| Trouble(format!("package {package}, {error}")))?;
        let notes = trace::write_all(&mut report, Some(package), &here.join(&options.traces));
        let verdict = TestVerdict::Explored(Box::new(JudgedTest {
            report,
            notes: notes.into_iter().collect(),
            expected,
            is_combination: test.contains('['),
        }));
        tally.count(&verdict);
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
