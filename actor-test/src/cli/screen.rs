//! Where words go: results on standard output, progress and errors on standard error.

use std::io::Write;
use std::sync::Mutex;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::words;
use crate::hosting::protocol::Event;

/// A bar appears for tests that take longer.
const PATIENCE: Duration = Duration::from_millis(300);

/// The terminal, or whatever stands in for it.
#[derive(Debug)]
pub(crate) struct Screen {
    bars: MultiProgress,
    /// The reader is gone; nothing more is written. The verdict stays what it is.
    closed: Mutex<bool>,
}

impl Screen {
    /// Standard output, with bars where standard error is a terminal.
    pub(crate) fn new() -> Self {
        Self {
            // It draws nothing where standard error is no terminal.
            bars: MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10)),
            closed: Mutex::new(false),
        }
    }

    /// How wide a line may be, unless it is told.
    pub(crate) fn width(&self, told: Option<u16>) -> usize {
        if let Some(told) = told {
            return usize::from(told);
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

    /// Writes a line, or several, painting the word that they begin with.
    pub(crate) fn line(&self, text: &str) {
        self.bars.suspend(|| {
            let mut closed = self
                .closed
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            // That nobody reads any more is no error.
            *closed = *closed || writeln!(anstream::stdout(), "{}", paint(text)).is_err();
        });
    }

    /// Writes a line as it is, for programs.
    pub(crate) fn raw(&self, text: &str) {
        self.bars.suspend(|| {
            let mut closed = self
                .closed
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            *closed = *closed || writeln!(std::io::stdout(), "{text}").is_err();
        });
    }

    /// Writes a line as it is on standard error.
    pub(crate) fn aside(&self, text: &str) {
        self.bars.suspend(|| {
            let _ = writeln!(std::io::stderr(), "{text}");
        });
    }

    /// Tells why the request can't be met.
    pub(crate) fn error(&self, text: &str) {
        let style = AnsiColor::Red.on_default().bold();
        self.bars.suspend(|| {
            let _ = writeln!(anstream::stderr(), "{style}error{style:#}: {text}");
        });
    }

    /// A bar for a test that runs, for so long if there is a limit.
    pub(crate) fn bar(&self, test: &str, limit: Option<Duration>) -> Bar {
        let bar = ProgressBar::new(0).with_message(test.to_owned());
        bar.set_style(style());
        Bar {
            bar,
            bars: self.bars.clone(),
            limit,
            shown: false,
        }
    }
}

/// The progress of one test.
#[derive(Debug)]
pub(crate) struct Bar {
    bar: ProgressBar,
    bars: MultiProgress,
    limit: Option<Duration>,
    shown: bool,
}

impl Bar {
    /// Shows what a child told.
    pub(crate) fn tell(&mut self, event: &Event) {
        let Event::Progress {
            executions,
            of,
            steps,
            bugs,
        } = event
        else {
            return;
        };
        let elapsed = self.bar.elapsed();
        if !self.shown && elapsed > PATIENCE {
            self.shown = true;
            self.bar = self.bars.add(self.bar.clone());
        }
        let seconds = elapsed.as_secs_f64().max(0.001);
        let of = match self.limit {
            // Time decides: the bar is that of the time.
            Some(limit) if *of == u64::MAX => {
                self.bar.set_length(limit.as_millis() as u64);
                self.bar.set_position(elapsed.as_millis() as u64);
                String::new()
            }
            _ => {
                self.bar.set_length(*of);
                self.bar.set_position(*executions);
                format!(" of {of}")
            }
        };
        self.bar.set_prefix(format!(
            "{executions}{of} schedules, {} schedules/s, {} steps/s, {}",
            rounded(*executions as f64 / seconds),
            rounded(*steps as f64 / seconds),
            words::count(*bugs as u64, "bug")
        ));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style() -> ProgressStyle {
    let template = "{msg:.cyan} [{bar:20}] {prefix}, ETA {eta}";
    ProgressStyle::with_template(template)
        .expect("the template is well formed")
        .progress_chars("=> ")
}

fn rounded(rate: f64) -> String {
    match rate {
        rate if rate >= 1e6 => format!("{:.1} M", rate / 1e6),
        rate if rate >= 1e3 => format!("{:.0} k", rate / 1e3),
        rate => format!("{rate:.0}"),
    }
}

/// The first word of each line in its colour; `anstream` removes it where it is not seen.
fn paint(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(paint_line).collect();
    lines.join("\n")
}

fn paint_line(line: &str) -> String {
    let words: [(&str, Style); 7] = [
        ("PASS", AnsiColor::Green.on_default().bold()),
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
