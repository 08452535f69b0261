//! Tests of the tool in a pseudo-terminal: progress bars, interruption, output.

use std::io::{Read, Write};
use std::num::NonZero;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use console::strip_ansi_codes;
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

use crate::project::{Run, tool, traces};

const ROWS: NonZero<u16> = NonZero::new(24).expect("24 are some");

/// More executions than the time suffices for.
const MANY: &str = "4000000000";

/// The tool, running in a terminal.
pub(crate) struct Terminal {
    pty: Arc<Pty>,
    tool: std::process::Child,
    read: Receiver<Vec<u8>>,
    shown: String,
    screen: vt100::Parser,
}

impl Terminal {
    fn begin(arguments: &str, columns: u16, traces: &tempfile::TempDir) -> Self {
        Self::of(tool().args(arguments).traces(traces), columns)
    }

    pub(crate) fn of(run: Run, columns: u16) -> Self {
        let (pty, inside) = open().expect("a terminal");
        pty.resize(Size::new(ROWS.get(), columns))
            .expect("it has a size");
        let run = run.env("TERM", "xterm");
        let tool = Command::from(run.command()).spawn(inside);
        let (send, read) = mpsc::channel();
        let pty = Arc::new(pty);
        let screen = Arc::clone(&pty);
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            // The terminal closes when its last process has ended.
            while let Ok(count @ 1..) = (&*screen).read(&mut chunk) {
                let _ = send.send(chunk[..count].to_vec());
            }
        });
        Self {
            pty,
            tool: tool.expect("the tool runs"),
            read,
            shown: String::new(),
            screen: vt100::Parser::new(
                ROWS,
                columns.try_into().expect("no terminal is so narrow"),
                0,
            ),
        }
    }

    /// Types keys, and reads until `text` and then `prompt` appear. Only then does the tool read keys as
    /// input: between two prompts, ctrl-C is a signal.
    pub(crate) fn answers(&mut self, keys: &str, text: &str, prompt: &str) {
        self.shown.clear();
        self.types(keys.as_bytes());
        self.until(text);
        let answered = self.shown.find(text).expect("it was shown") + text.len();
        self.shown.drain(..answered);
        self.until(prompt);
    }

    /// Reads until `text` appears on the screen.
    pub(crate) fn until(&mut self, text: &str) {
        while !self.shown.contains(text) {
            let more = self.read.recv();
            let more = more.unwrap_or_else(|_| panic!("no {text:?} in {}", self.shown));
            self.show(&more);
        }
    }

    /// Adds output to the screen, and checks that no bar is wider than the terminal.
    fn show(&mut self, more: &[u8]) {
        self.shown += &strip_ansi_codes(&String::from_utf8_lossy(more));
        self.screen.process(more);
        let screen = self.screen.screen();
        let columns = screen.size().1.get();
        for row in screen.rows(0, columns) {
            // The end of a bar that is too wide would be in the next row.
            let forms = [format!("/{MANY}"), format!("{MANY} schedules")];
            let is_bar = forms.iter().any(|form| row.contains(form));
            assert!(!is_bar || row.contains(" bug"), "{columns}: {row}");
        }
    }

    pub(crate) fn types(&mut self, keys: &[u8]) {
        (&*self.pty)
            .write_all(keys)
            .expect("the terminal takes keys");
    }

    /// Reads to the end, and returns the output and the exit status.
    pub(crate) fn end(mut self) -> (String, ExitStatus) {
        let status = self.tool.wait().expect("the tool ends");
        while let Ok(more) = self.read.recv() {
            self.show(&more);
        }
        (self.shown, status)
    }
}

/// Ctrl-C, sent by the terminal to all its processes; at any width, the output fits.
#[test]
fn what_is_known_is_told_when_it_is_interrupted() {
    for columns in [40, 80, 200] {
        let traces = traces();
        let arguments = format!("at_most_six never_six -j 2 -i {MANY} --no-fail-fast");
        let mut terminal = Terminal::begin(&arguments, columns, &traces);
        terminal.until(", 1 bug");
        terminal.types(b"\x03");
        let (shown, status) = terminal.end();
        assert_eq!(status.code(), Some(130), "{shown}");
        for known in [
            "STOP  specimens::tests::at_most_six  interrupted after ",
            "STOP  specimens::tests::never_six  interrupted after ",
            "interrupted after ",
            " and 1 bug, 0 passed, 0 failed, 2 given up, 0 not begun",
        ] {
            assert!(shown.contains(known), "{columns}, {known}: {shown}");
        }
        let left = std::fs::read_dir(traces.path()).expect("the traces' directory");
        assert_eq!(left.count(), 0, "half a trace is left");
    }
}

/// Details are printed only on request.
#[test]
fn a_run_that_passes_tells_a_line_a_test() {
    let traces = traces();
    let run = |arguments: &str| {
        let (shown, status) = Terminal::begin(arguments, 80, &traces).end();
        assert_eq!(status.code(), Some(0), "{shown}");
        // A bar may have occupied the row of a line before.
        let lines = shown
            .lines()
            .filter_map(|line| line.trim().rsplit('\r').next());
        let lines = lines.map(str::to_owned);
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>()
    };
    let all = run("at_most_six -i 100");
    let shown: Vec<&String> = all
        .iter()
        .skip_while(|line| !line.starts_with("PASS"))
        .collect();
    assert_eq!(shown.len(), 2, "{all:?}");
    assert!(shown[0].starts_with("PASS  specimens::tests::at_most_six  100 executions, "));
    assert_eq!(shown[1], "1 passed, 0 failed");
    let shown = run("at_most_six -i 100 -v");
    assert!(
        shown.iter().any(|line| line.contains("distinct behaviour")),
        "{shown:?}"
    );
    assert!(
        shown.contains(&"all tests together".to_owned()),
        "{shown:?}"
    );
}
