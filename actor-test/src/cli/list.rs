//! `cargo actor-test list`.

use super::discover::Parameters;
use super::options::List;
use super::screen::Screen;
use super::{Exit, Trouble, build, combinations, discover};
use crate::hosting::environment;
use crate::hosting::protocol::Ignored;

/// Lists the actor tests, one a line, and each combination of parameters as one.
pub(crate) fn run(options: &List, screen: &mut Screen) -> Result<Exit, Trouble> {
    let variables = environment::variables().map_err(Trouble::new)?;
    let built = build::build(&options.selection)?;
    let tests = discover::discover(&built)?;
    let tests = combinations::ask(tests, &variables, Ignored::Include)?;
    let mut exit = Exit::Clean;
    for test in discover::select(tests, &options.filters, &options.selection.flags())? {
        screen.line(&test.title());
        if let Parameters::Unknown(problem) = &test.parameters {
            screen.error(problem);
            exit = Exit::Trouble;
        }
    }
    Ok(exit)
}
