//! The interactive debugger, `cargo actor-test debug`, which steps through recorded executions.
//!
//! A [`session`] holds the recorded execution and those derived from it. Their stories are known step by
//! step, so moving in them needs no execution. A snapshot of the state between two steps comes from a
//! [`child`], which runs the test up to there. [`command`] parses a line, [`commands`] runs the command,
//! [`input`] reads lines from a terminal or a script, and [`words`] formats the output.

mod breaks;
mod child;
mod command;
mod commands;
mod input;
mod pattern;
mod query;
mod session;
mod words;

use super::options::Debug;
use super::screen::Screen;
use super::{Exit, Trouble, replay};
use actor_test::tool::environment;
use actor_test::tool::overrides::Overrides;
use actor_test::tool::process::is_interrupted;
use actor_test::tool::trace::Trace;
use actor_test::tool::words::plain;

use child::Child;
use command::DebuggerCommand;
use input::{Input, InputLine};
use session::Session;

/// Runs a session of the debugger on a trace.
pub(crate) fn run(options: &Debug, screen: &mut Screen) -> Result<Exit, Trouble> {
    let trace = Trace::read(&options.trace).map_err(Trouble::new)?;
    let variables = environment::variables().map_err(Trouble::new)?;
    let test = replay::find(&options.selection, &trace)?;
    let flags = Overrides {
        hang_timeout: options.hang_timeout,
        ..Overrides::default()
    };
    let child = Child::new(test, flags.or(variables));
    let mut session = Session::begin(trace, child, screen.width(options.width))?;
    for line in session.head() {
        screen.line(&line);
    }
    let mut input = Input::new().map_err(Trouble::new)?;
    let mut last = None;
    loop {
        let prompt = session.prompt();
        let (number, text) = match input.next(&prompt, &session).map_err(Trouble::new)? {
            InputLine::Text(number, text) => (number, text),
            InputLine::Dropped => continue,
            InputLine::End => return Ok(Exit::Clean),
        };
        if !input.is_terminal() {
            screen.raw(&format!("{prompt}{text}"));
        }
        let parsed = match text.trim().is_empty() {
            // An empty line repeats the last command, as in other debuggers.
            true => Ok(last.clone()),
            false => command::parse(&text),
        };
        let done = match parsed {
            Ok(Some(DebuggerCommand::Quit)) => return Ok(Exit::Clean),
            Ok(Some(command)) => {
                last = Some(command.clone());
                session.run(command)
            }
            Ok(None) => Ok(Vec::new()),
            Err(problem) => Err(problem),
        };
        match done {
            Ok(lines) => lines.iter().for_each(|line| screen.raw(line)),
            Err(problem) if input.is_terminal() => screen.raw(&plain(&problem)),
            Err(problem) => {
                return Err(Trouble(plain(&format!(
                    "line {number}, `{text}`: {problem}"
                ))));
            }
        }
        if is_interrupted() {
            return Ok(Exit::Interrupted);
        }
    }
}
