//! Input of the debugger: a terminal with completion, or a script on standard input.

use std::io::{BufRead, IsTerminal, StdinLock, stdin};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};

use super::command;
use super::session::Session;

pub(super) enum Input {
    /// A terminal, with history and completion.
    Terminal(Box<Editor<CompletionNames, MemHistory>>),
    /// A script on standard input; each command is echoed after the prompt.
    Script(StdinLock<'static>, usize),
}

/// The result of reading a line.
pub(super) enum InputLine {
    /// A line with its number: from one in a script, zero in a terminal.
    Text(usize, String),
    /// The line was cancelled by ctrl-C.
    Dropped,
    End,
}

impl Input {
    pub(super) fn new() -> Result<Self, String> {
        if !stdin().is_terminal() {
            return Ok(Self::Script(stdin().lock(), 0));
        }
        let config = Config::builder().auto_add_history(true).build();
        let editor = Editor::with_history(config, MemHistory::new());
        let mut editor =
            editor.map_err(|error| format!("can't read from the terminal: {error}"))?;
        editor.set_helper(Some(CompletionNames::default()));
        Ok(Self::Terminal(Box::new(editor)))
    }

    pub(super) fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }

    /// Returns the next line. In a script, blank lines and comments are skipped.
    pub(super) fn next(&mut self, prompt: &str, session: &Session) -> Result<InputLine, String> {
        match self {
            Self::Terminal(editor) => {
                if let Some(names) = editor.helper_mut() {
                    names.0 = session.names();
                }
                match editor.readline(prompt) {
                    Ok(text) => Ok(InputLine::Text(0, text)),
                    // The line is cancelled; the session continues.
                    Err(ReadlineError::Interrupted) => Ok(InputLine::Dropped),
                    Err(ReadlineError::Eof) => Ok(InputLine::End),
                    Err(error) => Err(format!("can't read from the terminal: {error}")),
                }
            }
            Self::Script(lines, number) => loop {
                let mut text = String::new();
                let read = lines.read_line(&mut text);
                let read = read.map_err(|error| format!("line {}: {error}", *number + 1))?;
                if read == 0 {
                    return Ok(InputLine::End);
                }
                *number += 1;
                let text = text.trim();
                if !text.is_empty() && !text.starts_with('#') {
                    return Ok(InputLine::Text(*number, text.into()));
                }
            },
        }
    }
}

/// The completions for the tab key: commands first, then names of the story.
#[derive(Default)]
pub(super) struct CompletionNames(Vec<String>);

impl Helper for CompletionNames {}
impl Hinter for CompletionNames {
    type Hint = String;
}
impl Highlighter for CompletionNames {}
impl Validator for CompletionNames {}

impl Completer for CompletionNames {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = &line[..position];
        let begin = before.rfind(' ').map_or(0, |at| at + 1);
        let word = &before[begin..];
        let fits = |name: &&String| name.starts_with(word);
        let commands: Vec<String> = command::names().map(str::to_owned).collect();
        let from = if before[..begin].trim().is_empty() {
            &commands
        } else {
            &self.0
        };
        Ok((begin, from.iter().filter(fits).cloned().collect()))
    }
}
