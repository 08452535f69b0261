//! Runs a test as a child, which may end in any way.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use tempfile::TempDir;

use super::Trouble;
use super::discover::Test;
use crate::cli::words;
use crate::exploring::pin;
use crate::exploring::plan::Turn;
use crate::hosting::environment::{self, REQUEST};
use crate::hosting::protocol::{Event, Ignored, Request, Task, VERSION};
use crate::hosting::watchdog;
use crate::settings::overrides::Overrides;
use crate::wall_clock::Looks;

/// How often the child's events are read.
const LOOK: Duration = Duration::from_millis(20);

/// How much longer than a handler the child as a whole may be silent.
const BACKSTOP: Duration = Duration::from_secs(20);

/// How much of what the child prints is kept.
const KEPT: usize = 64 << 10;

/// How a child ended.
#[derive(Debug)]
pub(crate) struct Ending {
    /// The settings that it told.
    pub(crate) began: Option<Event>,
    /// Its last word, if it came that far.
    pub(crate) answer: Option<Event>,
    /// How its process ended, in words.
    pub(crate) how: String,
    /// It had to be killed, since it was silent for so long.
    pub(crate) killed: Option<Duration>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The iteration that it noted, if it was asked to.
    pub(crate) pinned: Option<Turn>,
    pub(crate) elapsed: Duration,
}

/// What the child is to do.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) given: Overrides,
    /// `None`: tell the combinations of its parameters.
    pub(crate) task: Option<Task>,
    pub(crate) ignored: Ignored,
    /// Note each iteration before it runs.
    pub(crate) pin: bool,
}

/// Runs `test` in a child to its end.
pub(crate) fn run(test: &Test, job: &Job, tell: &mut dyn FnMut(&Event)) -> Result<Ending, Trouble> {
    let files = tempfile::Builder::new().prefix("actor-test-").tempdir();
    let files =
        files.map_err(|error| Trouble(format!("can't make a temporary directory: {error}")))?;
    let request = write_request(test, job, &files)?;
    let begun = crate::wall_clock::now();
    let mut child = command(test, &files.path().join("request"))
        .spawn()
        .map_err(|error| {
            Trouble(format!(
                "can't run {}: {error}",
                test.executable.path.display()
            ))
        })?;
    let (ended, stdout, stderr) = outputs(&mut child);
    let silence = hang_timeout(test, job) + BACKSTOP;
    let mut hearing = Hearing::new(&request.events);
    let status = wait(&mut child, &ended, silence, &mut hearing, tell)?;
    Ok(Ending {
        began: hearing.began,
        answer: hearing.answer,
        how: status.map_or_else(|| words::silent(silence), describe),
        killed: status.is_none().then_some(silence),
        stdout: tail(stdout),
        stderr: tail(stderr),
        pinned: request.pin.as_deref().and_then(pin::pinned),
        elapsed: begun.elapsed(),
    })
}

fn write_request(test: &Test, job: &Job, files: &TempDir) -> Result<Request, Trouble> {
    let request = Request {
        version: VERSION,
        test: test.name.clone(),
        given: job.given.clone(),
        task: job.task.clone(),
        ignored: job.ignored,
        events: files.path().join("events"),
        pin: job.pin.then(|| files.path().join("pin")),
    };
    let text = serde_json::to_string(&request).map_err(Trouble::new)?;
    std::fs::write(files.path().join("request"), text).map_err(Trouble::new)?;
    File::create(&request.events).map_err(Trouble::new)?;
    Ok(request)
}

/// As cargo runs tests: in the package's directory, with its variables.
fn command(test: &Test, request: &Path) -> Command {
    let package = &test.executable.package;
    let mut command = Command::new(&test.executable.path);
    command
        // The test decides itself whether it runs when it is marked `#[ignore]`.
        .args([
            test.libtest_name(),
            "--exact",
            "--nocapture",
            "--test-threads=1",
            "--include-ignored",
        ])
        .current_dir(&package.directory)
        .env(REQUEST, request)
        .env("CARGO_MANIFEST_DIR", &package.directory)
        .env("CARGO_MANIFEST_PATH", package.directory.join("Cargo.toml"))
        .env("CARGO_PKG_NAME", &package.name)
        .env("CARGO_PKG_VERSION", &package.version)
        .env(LIBRARY_PATH, library_path(test))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[cfg(target_os = "macos")]
const LIBRARY_PATH: &str = "DYLD_FALLBACK_LIBRARY_PATH";
#[cfg(windows)]
const LIBRARY_PATH: &str = "PATH";
#[cfg(not(any(target_os = "macos", windows)))]
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// Where the child finds dynamic libraries: what was built with it, then what is set.
fn library_path(test: &Test) -> OsString {
    let beside = test.executable.path.parent().map(Path::to_owned);
    let built = test.executable.libraries.iter().cloned();
    let set = std::env::var_os(LIBRARY_PATH).unwrap_or_default();
    let all = beside
        .into_iter()
        .chain(built)
        .chain(std::env::split_paths(&set));
    std::env::join_paths(all).unwrap_or(set.clone())
}

/// Reads what the child prints, so that it never waits for a reader; the channel closes when the
/// child has closed its standard output.
fn outputs(child: &mut Child) -> (Receiver<()>, JoinHandle<String>, JoinHandle<String>) {
    let (open, ended) = mpsc::channel();
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    let stdout = std::thread::spawn(move || {
        let text = keep(stdout);
        drop(open);
        text
    });
    (ended, stdout, std::thread::spawn(move || keep(stderr)))
}

/// The end of what is read.
fn keep(source: Option<impl Read>) -> String {
    let mut kept = Vec::new();
    let mut chunk = [0; 8 << 10];
    let Some(mut source) = source else {
        return String::new();
    };
    while let Ok(read @ 1..) = source.read(&mut chunk) {
        kept.extend_from_slice(&chunk[..read]);
        let excess = kept.len().saturating_sub(2 * KEPT);
        if excess > 0 {
            kept.drain(..kept.len() - KEPT);
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// A grandchild may hold the pipe open for ever; then what was read is left alone.
fn tail(reader: JoinHandle<String>) -> String {
    for _ in 0..50 {
        if reader.is_finished() {
            return reader.join().unwrap_or_default();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    String::new()
}

/// How long a handler may take: as a flag, a variable or the manifest says.
fn hang_timeout(test: &Test, job: &Job) -> Duration {
    let manifest = || {
        environment::metadata(&test.executable.package.metadata)
            .ok()?
            .hang_timeout
    };
    job.given
        .hang_timeout
        .or_else(manifest)
        .unwrap_or(watchdog::HANG_TIMEOUT)
}

/// Waits for the end of the child, and hears its events meanwhile; `None` if it had to be killed.
fn wait(
    child: &mut Child,
    ended: &Receiver<()>,
    silence: Duration,
    hearing: &mut Hearing,
    tell: &mut dyn FnMut(&Event),
) -> Result<Option<ExitStatus>, Trouble> {
    let (mut looks, mut silent) = (Looks::begin(), Duration::ZERO);
    loop {
        let closed = matches!(
            ended.recv_timeout(LOOK),
            Err(RecvTimeoutError::Disconnected)
        );
        silent += looks.look();
        if hearing.hear(tell) {
            silent = Duration::ZERO;
        }
        let status = child.try_wait().map_err(Trouble::new)?;
        if let Some(status) = status {
            hearing.hear(tell);
            return Ok(Some(status));
        }
        if silent > silence {
            // Only the child that was started here, by its handle.
            let _ = child.kill();
            let _ = child.wait();
            hearing.hear(tell);
            return Ok(None);
        }
        if closed {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return match signal {
            4 => "the process ended by an illegal instruction (SIGILL)".into(),
            6 => "the process was aborted (SIGABRT)".into(),
            7 | 11 => format!("the process ended by an invalid access to memory (signal {signal})"),
            9 => "the process was killed (SIGKILL); did it use all memory?".into(),
            15 => "the process was asked to end (SIGTERM)".into(),
            _ => format!("the process ended by signal {signal}"),
        };
    }
    match status.code() {
        Some(code) => format!("the process ended by itself with exit code {code}"),
        None => format!("the process ended: {status}"),
    }
}

/// Reads events as the child appends them.
#[derive(Debug)]
struct Hearing {
    path: PathBuf,
    position: u64,
    began: Option<Event>,
    answer: Option<Event>,
}

impl Hearing {
    fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            position: 0,
            began: None,
            answer: None,
        }
    }

    /// Takes the lines that are complete; whether there were any.
    fn hear(&mut self, tell: &mut dyn FnMut(&Event)) -> bool {
        let mut text = Vec::new();
        let read = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.position))?;
            file.read_to_end(&mut text)
        });
        let complete = text
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        if read.is_err() || complete == 0 {
            return false;
        }
        self.position += complete as u64;
        for line in text[..complete].split(|byte| *byte == b'\n') {
            if let Ok(event) = serde_json::from_slice(line) {
                self.take(event, tell);
            }
        }
        true
    }

    fn take(&mut self, event: Event, tell: &mut dyn FnMut(&Event)) {
        tell(&event);
        match event {
            Event::Alive | Event::Progress { .. } => {}
            Event::Began { .. } => self.began = Some(event),
            // The first answer counts: a watchdog may bark once more on the way out.
            _ => {
                self.answer.get_or_insert(event);
            }
        }
    }
}
