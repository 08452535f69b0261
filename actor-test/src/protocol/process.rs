//! Child processes that run a test: start, events, output, timeout and exit status.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::data::test_name;
use crate::protocol::crash_marker;
use crate::protocol::decision_log;
use crate::protocol::decision_log::DecisionLogContents;
use crate::protocol::environment::REQUEST;
use crate::protocol::inquiry::Inquiry;
use crate::protocol::{ChildEvent, ChildRequest, Ignored, Task, VERSION};
use crate::report::words;
use crate::settings::overrides::Overrides;
use crate::settings::turn::StrategyTurn;
use crate::wall_clock::CheckTimer;

/// The default time limit of a handler.
pub const HANG_TIMEOUT: Duration = Duration::from_secs(10);

/// The interval at which the child's events are read.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The interval at which events are read while somebody waits for an answer.
const ANSWER_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The time, in addition to a handler's limit, for which the child may be silent.
const BACKSTOP: Duration = Duration::from_secs(20);

/// The number of bytes kept of the child's output.
const KEPT: usize = 64 << 10;

/// The end of a child process.
#[derive(Debug)]
pub struct ChildEnd {
    /// The [`ChildEvent::Began`] with the child's settings, if received.
    pub began: Option<ChildEvent>,
    /// The last event, if the child got that far.
    pub answer: Option<ChildEvent>,
    /// The exit of the process, in words.
    pub how: String,
    /// The time for which the child was silent before it was killed; `None` if it was not killed.
    pub killed: Option<Duration>,
    /// True if this process was interrupted before the child ended.
    pub interrupted: bool,
    pub stdout: String,
    pub stderr: String,
    /// The last iteration that the child recorded before running it, if requested.
    pub pinned: Option<StrategyTurn>,
    /// The decisions of the logged iteration, if requested.
    pub decisions: Option<DecisionLogContents>,
    pub elapsed: Duration,
}

impl ChildEnd {
    /// Returns true if the test began, and then crashed its process or hung.
    pub fn is_crash_or_hang(&self) -> bool {
        self.began.is_some() && matches!(self.answer, None | Some(ChildEvent::Hang { .. }))
    }
}

/// The task of a child, with its options.
#[derive(Clone, Debug)]
pub struct ChildJob {
    /// The full name of the test, with the values of its parameters.
    pub test: String,
    pub given: Overrides,
    /// The task; `None` lists the combinations of the test's parameters.
    pub task: Option<Task>,
    pub ignored: Ignored,
    /// True if the child records each iteration before running it.
    pub pin: bool,
    /// The iteration whose decisions the child records while running it.
    pub decision_log: Option<u64>,
    /// True if the child waits, before it begins, until the file named by [`ChildEvent::Holds`] exists.
    pub hold: bool,
}

impl ChildJob {
    /// Returns the same job for another test.
    pub fn of(&self, test: &str) -> Self {
        Self {
            test: test.into(),
            ..self.clone()
        }
    }
}

/// Runs the job in a child until the child ends. `command` starts the test's executable as cargo would; a
/// handler may take as long as `limit`.
pub fn run(
    command: Command,
    job: &ChildJob,
    limit: Duration,
    on_event: &mut dyn FnMut(&ChildEvent),
) -> Result<ChildEnd, String> {
    let mut running = RunningChild::start(command, job, limit, Stdio::null())?;
    let waited = running.wait(POLL_INTERVAL, |_| false, on_event)?;
    Ok(running.ending(&waited))
}

/// A child that answers a series of questions.
#[derive(Debug)]
pub struct Conversation {
    running: RunningChild,
    questions: ChildStdin,
}

impl Conversation {
    /// Starts the child; the job must be one with questions.
    pub fn begin(command: Command, job: &ChildJob, limit: Duration) -> Result<Self, String> {
        let mut running = RunningChild::start(command, job, limit, Stdio::piped())?;
        let questions = running.child.0.stdin.take();
        let questions = questions.ok_or("the child has no standard input")?;
        Ok(Self { running, questions })
    }

    /// Asks a question and waits; returns the answer, or the child's end.
    pub fn ask(
        mut self,
        inquiry: &Inquiry,
    ) -> Result<Result<(Self, ChildEvent), ChildEnd>, String> {
        let running = &mut self.running;
        running.hearing.answer = None;
        if let Some((path, _)) = &running.request.decision_log {
            // The file belongs to an earlier question.
            let _ = std::fs::remove_file(path);
        }
        let mut line = serde_json::to_vec(inquiry).map_err(|error| error.to_string())?;
        line.push(b'\n');
        // A failure means that the child has ended, which `wait` detects.
        let _ = self.questions.write_all(&line);
        let is_answered = |hearing: &EventReader| hearing.answer.is_some();
        let waited = running.wait(ANSWER_POLL_INTERVAL, is_answered, &mut |_| ())?;
        match (waited, running.hearing.answer.take()) {
            (
                WaitOutcome::Answered,
                Some(answer @ (ChildEvent::Answered { .. } | ChildEvent::Refused { .. })),
            ) => Ok(Ok((self, answer))),
            (WaitOutcome::Answered, answer) => {
                // The child has sent its last event and is about to end.
                let waited = self.running.wait(POLL_INTERVAL, |_| false, &mut |_| ())?;
                self.running.hearing.answer = answer;
                Ok(Err(self.running.ending(&waited)))
            }
            (waited, _) => Ok(Err(self.running.ending(&waited))),
        }
    }
}

/// A running child with its output readers and files.
#[derive(Debug)]
struct RunningChild {
    begun: Instant,
    /// The maximum time for which the child may be silent.
    silence: Duration,
    child: KillOnDrop,
    /// A channel that closes when the child has closed its standard output.
    ended: Receiver<()>,
    stdout: JoinHandle<String>,
    stderr: JoinHandle<String>,
    hearing: EventReader,
    request: ChildRequest,
    /// The directory of the files; the last field, so that it is dropped last.
    _files: ExchangeDirectory,
}

impl RunningChild {
    fn start(
        mut command: Command,
        job: &ChildJob,
        limit: Duration,
        stdin: Stdio,
    ) -> Result<Self, String> {
        let files = ExchangeDirectory::new()?;
        let request = write_request(job, &files)?;
        let begun = crate::wall_clock::now();
        let mut child = prepare(&mut command, &job.test, &files.path("request"))
            .stdin(stdin)
            .spawn()
            .map_err(|error| {
                let program = Path::new(command.get_program()).display();
                format!("can't run {program}: {error}")
            })?;
        let (ended, stdout, stderr) = outputs(&mut child);
        Ok(Self {
            begun,
            silence: limit + BACKSTOP,
            child: KillOnDrop(child),
            ended,
            stdout,
            stderr,
            hearing: EventReader::new(&request.events),
            request,
            _files: files,
        })
    }

    /// Waits for the end of the child, or until `is_enough` holds.
    fn wait(
        &mut self,
        interval: Duration,
        is_enough: impl Fn(&EventReader) -> bool,
        on_event: &mut dyn FnMut(&ChildEvent),
    ) -> Result<WaitOutcome, String> {
        let waited = wait(self, interval, is_enough, on_event);
        waited.map_err(|error| error.to_string())
    }

    fn ending(self, waited: &WaitOutcome) -> ChildEnd {
        let decisions = self.request.decision_log.as_ref();
        ChildEnd {
            how: match waited {
                WaitOutcome::Ended(status) => describe(*status),
                _ => words::silent(self.silence),
            },
            killed: matches!(waited, WaitOutcome::Silent).then_some(self.silence),
            interrupted: matches!(waited, WaitOutcome::Interrupted),
            stdout: tail(self.stdout),
            stderr: tail(self.stderr),
            pinned: self.request.pin.as_deref().and_then(crash_marker::pinned),
            decisions: decisions.and_then(|(path, _)| decision_log::read(path)),
            elapsed: self.begun.elapsed(),
            began: self.hearing.began,
            answer: self.hearing.answer,
        }
    }
}

/// A child that is killed when this value is dropped.
#[derive(Debug)]
struct KillOnDrop(Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        // The handle names only the child started here; killing an ended child does nothing.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A directory for the files between parent and child, deleted when this value is dropped.
#[derive(Debug)]
struct ExchangeDirectory(PathBuf);

impl ExchangeDirectory {
    fn new() -> Result<Self, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let parent = std::env::temp_dir();
        let process = std::process::id();
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("actor-test-{process}-{number}"));
            match builder.create(&path) {
                Ok(()) => return Ok(Self(path)),
                // The directory was left by a killed process with the same id.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("can't make a temporary directory: {error}")),
            }
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for ExchangeDirectory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn write_request(job: &ChildJob, files: &ExchangeDirectory) -> Result<ChildRequest, String> {
    let request = ChildRequest {
        version: VERSION,
        test: job.test.clone(),
        given: job.given.clone(),
        task: job.task.clone(),
        ignored: job.ignored,
        begun: crate::wall_clock::run_began(),
        events: files.path("events"),
        pin: job.pin.then(|| files.path("pin")),
        decision_log: job
            .decision_log
            .map(|iteration| (files.path("decisions"), iteration)),
        hold: job.hold.then(|| files.path("go")),
    };
    let text = serde_json::to_string(&request).map_err(|error| error.to_string())?;
    let written = std::fs::write(files.path("request"), text);
    written.map_err(|error| error.to_string())?;
    File::create(&request.events).map_err(|error| error.to_string())?;
    Ok(request)
}

/// Adds the arguments that run just this test, and the request.
fn prepare<'a>(command: &'a mut Command, test: &str, request: &Path) -> &'a mut Command {
    command
        // A test marked `#[ignore]` reads from the request if it should run.
        .args([
            test_name::libtest_name(test),
            "--exact",
            "--nocapture",
            "--test-threads=1",
            "--include-ignored",
        ])
        .env(REQUEST, request)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
}

/// Reads the child's output, so that the child never blocks on a full pipe. The channel closes when the child
/// has closed its standard output.
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

/// Reads to the end and returns the last [`KEPT`] bytes at least.
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

/// Returns the output, or nothing if a grandchild holds the pipe open for too long.
fn tail(reader: JoinHandle<String>) -> String {
    for _ in 0..50 {
        if reader.is_finished() {
            return reader.join().unwrap_or_default();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    String::new()
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Interrupts this process, which kills all children; returns true if it was interrupted before.
pub fn interrupt() -> bool {
    INTERRUPTED.swap(true, Ordering::Relaxed)
}

/// Returns true if this process was interrupted.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// A signal that ended a child may reach this process as well, a little later.
fn was_interrupted(status: ExitStatus) -> bool {
    #[cfg(unix)]
    if let Some(2 | 15) = std::os::unix::process::ExitStatusExt::signal(&status) {
        std::thread::sleep(Duration::from_millis(200));
        return is_interrupted();
    }
    status.code().is_none() && is_interrupted()
}

/// The result of waiting for a child.
enum WaitOutcome {
    Ended(ExitStatus),
    /// The child continues, and has sent the event waited for.
    Answered,
    /// The child was silent for too long and was killed.
    Silent,
    Interrupted,
}

/// Waits for the end of the child, or for enough of its events, read at the interval `interval`.
fn wait(
    running: &mut RunningChild,
    interval: Duration,
    is_enough: impl Fn(&EventReader) -> bool,
    on_event: &mut dyn FnMut(&ChildEvent),
) -> std::io::Result<WaitOutcome> {
    let RunningChild {
        child: KillOnDrop(child),
        ended,
        hearing,
        silence,
        ..
    } = running;
    let (mut timer, mut silent) = (CheckTimer::begin(), Duration::ZERO);
    loop {
        let closed = matches!(
            ended.recv_timeout(interval),
            Err(RecvTimeoutError::Disconnected)
        );
        silent += timer.elapsed();
        if hearing.read_events(on_event) {
            silent = Duration::ZERO;
        }
        if is_enough(hearing) {
            return Ok(WaitOutcome::Answered);
        }
        let status = child.try_wait()?;
        if let Some(status) = status {
            hearing.read_events(on_event);
            return Ok(match was_interrupted(status) {
                true => WaitOutcome::Interrupted,
                false => WaitOutcome::Ended(status),
            });
        }
        if silent > *silence || is_interrupted() {
            // The handle names only the child started here.
            let _ = child.kill();
            let _ = child.wait();
            hearing.read_events(on_event);
            return Ok(match is_interrupted() {
                true => WaitOutcome::Interrupted,
                false => WaitOutcome::Silent,
            });
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

/// Reads events from the file to which the child appends them.
#[derive(Debug)]
struct EventReader {
    path: PathBuf,
    position: u64,
    began: Option<ChildEvent>,
    answer: Option<ChildEvent>,
}

impl EventReader {
    fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            position: 0,
            began: None,
            answer: None,
        }
    }

    /// Reads the complete lines; returns true if there were any.
    fn read_events(&mut self, on_event: &mut dyn FnMut(&ChildEvent)) -> bool {
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
                self.take(event, on_event);
            }
        }
        true
    }

    fn take(&mut self, event: ChildEvent, on_event: &mut dyn FnMut(&ChildEvent)) {
        on_event(&event);
        match event {
            ChildEvent::Alive | ChildEvent::Progress { .. } | ChildEvent::Holds { .. } => {}
            ChildEvent::Began { .. } => self.began = Some(event),
            // A report is sent before its bugs are minimised, and again afterwards.
            ChildEvent::Done { .. } if matches!(self.answer, Some(ChildEvent::Done { .. })) => {
                self.answer = Some(event);
            }
            // Otherwise the first answer counts: the watchdog may report a hang while the process exits.
            _ => {
                self.answer.get_or_insert(event);
            }
        }
    }
}
