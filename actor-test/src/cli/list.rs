//! `cargo actor-test list`.

use super::options::List;
use super::screen::Screen;
use super::{Exit, Trouble, build, discover};

/// Lists the actor tests, one a line.
pub(crate) fn run(options: &List, screen: &mut Screen) -> Result<Exit, Trouble> {
    let built = build::build(&options.selection)?;
    let tests = discover::discover(&built)?;
    for test in discover::select(tests, &options.filters, &options.selection.flags())? {
        screen.line(&test.name);
    }
    Ok(Exit::Clean)
}
