//! Terminal output: results on standard output, progress and errors on standard error.

use std::io::Write;
use std::sync::Mutex;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::options::NoTests;
use super::progress::Progress;
use super::verdict::PartialProgress;
use super::{Exit, Trouble};
use crate::words;
use actor_test::tool::protocol::ChildEvent;

/// The interval of progress lines if standard error is not a terminal.
const SILENCE: Duration = Duration::from_secs(30);

/// The time after which a test gets a progress bar.
const PATIENCE: Duration = Duration::from_millis(300);

/// The terminal, or the streams used instead.
#[derive(Debug)]
pub(crate) struct Screen {
    bars: MultiProgress,
    /// Set once the reader of standard output is gone; then nothing more is written.
    closed: Mutex<bool>,
}

impl Screen {
    /// Uses standard output, with progress bars if standard error is a terminal.
    pub(crate) fn new() -> Self {
        Self {
            // No bar is drawn if standard error is not a terminal.
            bars: MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10)),
            closed: Mutex::new(false),
        }
    }

    /// Returns the maximum width of a line, as given or as the terminal's width.
    pub(crate) fn width(&self, given: Option<u16>) -> usize {
        if let Some(given) = given {
            return usize::from(given);
        }
        let terminal = console::Term::stdout();
        match terminal
            .is_term()
            .then(|| terminal.size_checked())
            .flatten()
        {
            Some((_, columns)) => usize::from(columns).max(60),
            None => words::WIDTH,
        }
    }

    /// Prints one or more lines, and colours the word at the beginning of each.
    pub(crate) fn line(&self, text: &str) {
        self.bars.suspend(|| {
            let mut closed = self
                .closed
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            // A closed standard output is not an error.
            *closed = *closed || writeln!(anstream::stdout(), "{}", paint(text)).is_err();
        });
    }

    /// Prints a line unchanged, for programs.
    pub(crate) fn raw(&self, text: &str) {
        self.bars.suspend(|| {
            let mut closed = self
                .closed
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            *closed = *closed || writeln!(std::io::stdout(), "{text}").is_err();
        });
    }

    /// Prints a long line for programs, without holding all of it in memory.
    pub(crate) fn program(&self, write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>) {
        self.bars.suspend(|| {
            let mut closed = self
                .closed
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            if !*closed {
                let mut out = std::io::BufWriter::new(std::io::stdout().lock());
                let written = write(&mut out).and_then(|()| writeln!(out));
                *closed = written.and_then(|()| out.flush()).is_err();
            }
        });
    }

    /// Prints a line unchanged on standard error.
    pub(crate) fn aside(&self, text: &str) {
        self.bars.suspend(|| {
            let _ = writeln!(std::io::stderr(), "{text}");
        });
    }

    /// Prints the reason why a request fails.
    pub(crate) fn error(&self, text: &str) {
        let style = AnsiColor::Red.on_default().bold();
        self.bars.suspend(|| {
            let _ = writeln!(anstream::stderr(), "{style}error{style:#}: {text}");
        });
    }

    /// Reports that no test is left, as an error, a warning or not at all.
    pub(crate) fn no_tests(&self, trouble: Trouble, action: NoTests) -> Result<Exit, Trouble> {
        match action {
            NoTests::Fail => return Err(trouble),
            NoTests::Warn => {
                let style = AnsiColor::Yellow.on_default().bold();
                self.bars.suspend(|| {
                    let _ = writeln!(anstream::stderr(), "{style}warning{style:#}: {}", trouble.0);
                });
            }
            NoTests::Pass => {}
        }
        Ok(Exit::Clean)
    }

    /// Creates a progress bar for a running test, with its time limit if any.
    pub(crate) fn bar(&self, test: &str, limit: Option<Duration>) -> Bar {
        // The bar is hidden until it joins the other bars; output drawn before would remain on the screen.
        let bar = ProgressBar::hidden();
        bar.set_style(style());
        Bar {
            test: test.to_owned(),
            bar,
            bars: self.bars.clone(),
            limit,
            shown: false,
            said: Duration::ZERO,
            done: PartialProgress::default(),
        }
    }
}

/// The progress bar of one test.
#[derive(Debug)]
pub(crate) struct Bar {
    test: String,
    bar: ProgressBar,
    bars: MultiProgress,
    limit: Option<Duration>,
    shown: bool,
    /// The time of the last progress line, if standard error is not a terminal.
    said: Duration,
    done: PartialProgress,
}

impl Bar {
    /// Returns the last reported progress of the test.
    pub(crate) fn done(&self) -> PartialProgress {
        self.done
    }

    pub(crate) fn update(&mut self, event: &ChildEvent) {
        let ChildEvent::Progress {
            executions,
            of,
            steps,
            bugs,
            extent,
        } = event
        else {
            return;
        };
        self.done = PartialProgress {
            executions: *executions,
            of: Some(*of).filter(|of| *of != u64::MAX),
            bugs: *bugs as u64,
        };
        let elapsed = self.bar.elapsed();
        if !self.shown && elapsed > PATIENCE {
            self.shown = true;
            self.bar = self.bars.add(self.bar.clone());
        }
        let by_time = self.limit.is_some() && *of == u64::MAX;
        let progress = Progress {
            executions: *executions,
            of: (!by_time).then_some(*of),
            steps: *steps,
            bugs: *bugs as u64,
            elapsed,
            limit: self.limit,
            extent: *extent,
        };
        if !console::user_attended_stderr() {
            if elapsed >= self.said + SILENCE {
                self.said = elapsed;
                eprintln!("{}: {}", self.test, progress.words());
            }
            return;
        }
        // The width of the terminal may change meanwhile.
        let (_, columns) = console::Term::stderr().size();
        let (name, rest) = progress.line(&self.test, usize::from(columns));
        self.bar.set_message(name);
        self.bar.set_prefix(rest);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{msg:.cyan}{prefix}").expect("the template is well formed")
}

/// Colours the first word of each line; `anstream` removes colours that the output does not support.
fn paint(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(paint_line).collect();
    lines.join("\n")
}

fn paint_line(line: &str) -> String {
    let words: [(&str, Style); 9] = [
        ("STOP", AnsiColor::Yellow.on_default().bold()),
        ("PASS", AnsiColor::Green.on_default().bold()),
        ("UNPROVED", AnsiColor::Yellow.on_default().bold()),
        ("FAIL", AnsiColor::Red.on_default().bold()),
        ("ERROR", AnsiColor::Red.on_default().bold()),
        ("reproduced:", AnsiColor::Red.on_default().bold()),
        ("diverged", AnsiColor::Yellow.on_default().bold()),
        ("no bug any more:", AnsiColor::Green.on_default().bold()),
        ("      warning:", AnsiColor::Yellow.on_default()),
    ];
    for (word, style) in words {
        if let Some(rest) = line.strip_prefix(word) {
            return format!("{style}{word}{style:#}{rest}");
        }
    }
    line.to_owned()
}
