//! The subcommand `list`: prints the names of the actor tests.

use super::discover::Parameters;
use super::options::List;
use super::screen::Screen;
use super::{Exit, Trouble, build, combinations, discover, words};
use actor_test::tool::environment;
use actor_test::tool::protocol::Ignored;

/// Lists the actor tests, one per line, and each combination of parameters as a test. Ignored tests are
/// included, as in the test harness; with `--ignored`, only they are listed.
pub(crate) fn run(options: &List, screen: &mut Screen) -> Result<Exit, Trouble> {
    let variables = environment::variables().map_err(Trouble::new)?;
    let built = build::build(&options.selection)?;
    let mut tests = discover::discover(&built)?;
    let ignored = options.filter.ignored(Ignored::Include);
    if ignored == Ignored::Only {
        let known = tests.len();
        tests = combinations::ignored(tests, &variables)?;
        if tests.is_empty() && known > 0 {
            let trouble = Trouble(words::none_ignored(known));
            return screen.no_tests(trouble, options.filter.no_tests());
        }
    }
    let tests = combinations::ask(tests, &variables, ignored)?;
    let tests = match discover::select(tests, &options.filter, &options.selection.flags()) {
        Ok(tests) => tests,
        Err(trouble) => return screen.no_tests(trouble, options.filter.no_tests()),
    };
    let mut exit = Exit::Clean;
    for test in tests {
        screen.line(&test.title());
        if let Parameters::Unknown(problem) = &test.parameters {
            screen.error(problem);
            exit = Exit::Trouble;
        }
    }
    Ok(exit)
}
