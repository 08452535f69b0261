//! Checks that the reports in the book are the ones that the sample programs print.
//!
//! A text block below a line `<!-- printed by account::tests::two_customers_shop -->` is a
//! part of the report of that test; `…` stands for omitted lines. The block in the README
//! is the report of `first::tests::every_job_is_done`; only a real run writes its trace.

use std::fs;
use std::path::{Path, PathBuf};

use actor_test::__private::{Registered, TestBody, inventory};
use actor_test::Tester;
use actor_test::tool::words::{CommandContext, WIDTH, failed};

/// The budgets, in steps, of `cargo test` for a failure.
const MINIMIZE: u64 = 5_000_000;
const EXPLAIN: u64 = 4_000_000;

/// The budget for a proof, a quarter of the budget for exploration.
const PROVE: u64 = 125_000;

/// Returns the report of a test as the reader types it, without the bug that the sample expects.
fn report(name: &str) -> String {
    let path = match name.strip_prefix("first::") {
        Some(rest) => format!("samples::first_program::{rest}"),
        None => format!("samples::chapters::{name}"),
    };
    let all = inventory::iter::<Registered>;
    let test = all.into_iter().find(|test| test.0.name == path);
    let test = test.unwrap_or_else(|| panic!("there is no test {path}")).0;
    let tester = Tester::new()
        .prove(PROVE)
        .minimize(MINIMIZE)
        .explain(EXPLAIN)
        .name(name);
    let report = match test.body {
        TestBody::Sync(body) => tester.run(move |sys| body(&sys, &[])),
        TestBody::Async(body) => tester.run(move |sys| async move { body(&sys, &[]).await }),
    };
    let place = CommandContext {
        here: PathBuf::new(),
        selection: Vec::new(),
        width: WIDTH,
        hang_timeout: None,
        test: None,
        lists_strategies: false,
    };
    // The reader did not ask for a number of executions.
    let words = failed(&report, &[], &place).replace(" of 100, seed", ", seed");
    typed(&words, name)
}

/// Converts line numbers to those of the typed program, which has no anchors.
fn typed(report: &str, name: &str) -> String {
    let (module, _) = name.split_once("::").expect("a test lies in a module");
    let file = format!("samples/src/chapters/{module}.rs");
    if !report.contains(&file) {
        return report.to_owned();
    }
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&file));
    let text = text.expect("a chapter has its program");
    let is_left_out = |line: &str| line.starts_with("//!") || line.contains("// ANCHOR");
    // The blank line below the module documentation is left out, too.
    let before = |line: usize| {
        let lines = text.lines().take(line);
        line - lines.filter(|line| is_left_out(line)).count() - 1
    };
    let before_a_line = format!("{file}:");
    let mut parts = report.split(&before_a_line);
    let mut typed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (line, rest) = part.split_once(':').expect("a place has a column");
        let line = line.parse().expect("a place has a line");
        typed += &format!("src/lib.rs:{}:{rest}", before(line));
    }
    typed
}

/// Removes the time that the search took.
fn timeless(line: &str) -> &str {
    line.split(" · found in ").next().unwrap_or(line)
}

/// Returns the text blocks of a page, each with the test that prints it.
fn blocks(page: &str) -> Vec<(&str, Vec<&str>)> {
    let parts = page.split("<!-- printed by ").skip(1);
    parts
        .map(|part| {
            let (name, rest) = part.split_once(" -->\n```text\n").expect("a block follows");
            let (block, _) = rest.split_once("\n```").expect("a block has an end");
            (name, block.lines().collect())
        })
        .collect()
}

#[test]
fn what_the_book_shows_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let book = fs::read_dir(root.join("book/src")).expect("the book is there");
    let pages = book.map(|entry| entry.expect("the folder can be read").path());
    let mut compared = 0;
    for path in pages.chain([root.join("README.md")]) {
        let page = fs::read_to_string(&path).unwrap_or_default();
        for (name, block) in blocks(&page) {
            let report = report(name);
            let mut printed = report.lines().map(timeless);
            let mut may_skip = false;
            for line in block.into_iter().map(timeless) {
                if line == "…" {
                    may_skip = true;
                    continue;
                }
                if line.starts_with("      replay:") {
                    continue;
                }
                let found = match may_skip {
                    true => printed.any(|printed| printed == line),
                    false => printed.next() == Some(line),
                };
                assert!(
                    found,
                    "{}: `{line}` is not there, or not in this place:\n{report}",
                    path.display()
                );
                may_skip = false;
            }
            compared += 1;
        }
    }
    assert!(compared > 4, "{compared} reports");
}
