//! Runs a test as a child, which may end in any way.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::debugging::Inquiry;
use crate::declaration::parameters;
use crate::exploring::pin;
use crate::exploring::plan::Turn;
use crate::hosting::environment::REQUEST;
use crate::hosting::protocol::{Event, Ignored, Request, Task, VERSION};
use crate::report::words;
use crate::settings::overrides::Overrides;
use crate::trace::witness::{self, Witnessed};
use crate::wall_clock::Looks;

/// How often the child's events are read.
const LOOK: Duration = Duration::from_millis(20);

/// How often it is looked whether a question was answered, for which somebody waits.
const LOOK_FOR_ANSWER: Duration = Duration::from_millis(1);

/// How much longer than a handler the child as a whole may be silent.
const BACKSTOP: Duration = Duration::from_secs(20);

/// How much of what the child prints is kept.
const KEPT: usize = 64 << 10;

/// How a child ended.
#[derive(Debug)]
pub struct Ending {
    /// The settings that it told.
    pub began: Option<Event>,
    /// Its last word, if it came that far.
    pub answer: Option<Event>,
    /// How its process ended, in words.
    pub how: String,
    /// It had to be killed, since it was silent for so long.
    pub killed: Option<Duration>,
    /// This process was interrupted before it ended.
    pub interrupted: bool,
    pub stdout: String,
    pub stderr: String,
    /// The iteration that it noted, if it was asked to.
    pub pinned: Option<Turn>,
    /// How far the iteration came that was to be witnessed.
    pub witnessed: Option<Witnessed>,
    pub elapsed: Duration,
}

impl Ending {
    /// The test was begun, and took its process down, or never ended.
    pub fn is_violent(&self) -> bool {
        self.began.is_some() && matches!(self.answer, None | Some(Event::Hang { .. }))
    }
}

/// What the child is to do.
#[derive(Clone, Debug)]
pub struct Job {
    /// The test, by its full name, with the values of its parameters.
    pub test: String,
    pub given: Overrides,
    /// `None`: tell the combinations of its parameters.
    pub task: Option<Task>,
    pub ignored: Ignored,
    /// Note each iteration before it runs.
    pub pin: bool,
    /// Write down the decisions of this iteration while it runs.
    pub witness: Option<u64>,
    /// Before it begins, wait to be told by the file that [`Event::Holds`] names.
    pub hold: bool,
}

impl Job {
    /// The same job for another test.
    pub fn of(&self, test: &str) -> Self {
        Self {
            test: test.into(),
            ..self.clone()
        }
    }
}

/// Does the job in a child to its end. `command` starts the test's executable with all that it needs
/// of cargo; a handler may take as long as `limit`.
pub fn run(
    command: Command,
    job: &Job,
    limit: Duration,
    tell: &mut dyn FnMut(&Event),
) -> Result<Ending, String> {
    let mut running = Running::start(command, job, limit, Stdio::null())?;
    let waited = running.wait(LOOK, |_| false, tell)?;
    Ok(running.ending(&waited))
}

/// A child that is asked one question after the other.
#[derive(Debug)]
pub struct Conversation {
    running: Running,
    questions: ChildStdin,
}

impl Conversation {
    /// Starts the child; the job is one with questions.
    pub fn begin(command: Command, job: &Job, limit: Duration) -> Result<Self, String> {
        let mut running = Running::start(command, job, limit, Stdio::piped())?;
        let questions = running.child.0.stdin.take();
        let questions = questions.ok_or("the child has no standard input")?;
        Ok(Self { running, questions })
    }

    /// Asks a question, and waits for the answer; or tells how the child ended.
    pub fn ask(mut self, inquiry: &Inquiry) -> Result<Result<(Self, Event), Ending>, String> {
        let running = &mut self.running;
        running.hearing.answer = None;
        if let Some((path, _)) = &running.request.witness {
            // It is of an earlier question.
            let _ = std::fs::remove_file(path);
        }
        let mut line = serde_json::to_vec(inquiry).map_err(|error| error.to_string())?;
        line.push(b'\n');
        // Who has ended meanwhile is found to have ended.
        let _ = self.questions.write_all(&line);
        let is_answered = |hearing: &Hearing| hearing.answer.is_some();
        let waited = running.wait(LOOK_FOR_ANSWER, is_answered, &mut |_| ())?;
        match (waited, running.hearing.answer.take()) {
            (Waited::Answered, Some(answer @ (Event::Answered { .. } | Event::Refused { .. }))) => {
                Ok(Ok((self, answer)))
            }
            (Waited::Answered, answer) => {
                // It has said how it ends, and does.
                let waited = self.running.wait(LOOK, |_| false, &mut |_| ())?;
                self.running.hearing.answer = answer;
                Ok(Err(self.running.ending(&waited)))
            }
            (waited, _) => Ok(Err(self.running.ending(&waited))),
        }
    }
}

/// A child at work.
#[derive(Debug)]
struct Running {
    begun: Instant,
    /// How long it may be silent.
    silence: Duration,
    child: Leashed,
    /// Closed when the child has closed its standard output.
    ended: Receiver<()>,
    stdout: JoinHandle<String>,
    stderr: JoinHandle<String>,
    hearing: Hearing,
    request: Request,
    /// They go last.
    _files: Files,
}

impl Running {
    fn start(
        mut command: Command,
        job: &Job,
        limit: Duration,
        stdin: Stdio,
    ) -> Result<Self, String> {
        let files = Files::new()?;
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
            child: Leashed(child),
            ended,
            stdout,
            stderr,
            hearing: Hearing::new(&request.events),
            request,
            _files: files,
        })
    }

    /// Waits for the end of the child, or until enough was heard.
    fn wait(
        &mut self,
        look: Duration,
        is_enough: impl Fn(&Hearing) -> bool,
        tell: &mut dyn FnMut(&Event),
    ) -> Result<Waited, String> {
        let waited = wait(self, look, is_enough, tell);
        waited.map_err(|error| error.to_string())
    }

    fn ending(self, waited: &Waited) -> Ending {
        let witnessed = self.request.witness.as_ref();
        Ending {
            how: match waited {
                Waited::Ended(status) => describe(*status),
                _ => words::silent(self.silence),
            },
            killed: matches!(waited, Waited::Silent).then_some(self.silence),
            interrupted: matches!(waited, Waited::Interrupted),
            stdout: tail(self.stdout),
            stderr: tail(self.stderr),
            pinned: self.request.pin.as_deref().and_then(pin::pinned),
            witnessed: witnessed.and_then(|(path, _)| witness::read(path)),
            elapsed: self.begun.elapsed(),
            began: self.hearing.began,
            answer: self.hearing.answer,
        }
    }
}

/// A child that does not outlive this value.
#[derive(Debug)]
struct Leashed(Child);

impl Drop for Leashed {
    fn drop(&mut self) {
        // Only the child that was started here, by its handle; nothing, where it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A directory for the files between parent and child; it goes with this value.
#[derive(Debug)]
struct Files(PathBuf);

impl Files {
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
                // Left by a process of the same number that did not come to its end.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("can't make a temporary directory: {error}")),
            }
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn write_request(job: &Job, files: &Files) -> Result<Request, String> {
    let request = Request {
        version: VERSION,
        test: job.test.clone(),
        given: job.given.clone(),
        task: job.task.clone(),
        ignored: job.ignored,
        begun: crate::wall_clock::run_began(),
        events: files.path("events"),
        pin: job.pin.then(|| files.path("pin")),
        witness: job
            .witness
            .map(|iteration| (files.path("witness"), iteration)),
        hold: job.hold.then(|| files.path("go")),
    };
    let text = serde_json::to_string(&request).map_err(|error| error.to_string())?;
    let written = std::fs::write(files.path("request"), text);
    written.map_err(|error| error.to_string())?;
    File::create(&request.events).map_err(|error| error.to_string())?;
    Ok(request)
}

/// Has the executable run the one test, with the request.
fn prepare<'a>(command: &'a mut Command, test: &str, request: &Path) -> &'a mut Command {
    command
        // The test decides itself whether it runs when it is marked `#[ignore]`.
        .args([
            parameters::libtest_name(test),
            "--exact",
            "--nocapture",
            "--test-threads=1",
            "--include-ignored",
        ])
        .env(REQUEST, request)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
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

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// This process is to end: children are killed, and no others are worth to be started. Tells whether
/// it was said before.
pub fn interrupt() -> bool {
    INTERRUPTED.swap(true, Ordering::Relaxed)
}

/// This process is to end.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// A signal that ended a child may have been for this process as well, which hears of it soon.
fn was_interrupted(status: ExitStatus) -> bool {
    #[cfg(unix)]
    if let Some(2 | 15) = std::os::unix::process::ExitStatusExt::signal(&status) {
        std::thread::sleep(Duration::from_millis(200));
        return is_interrupted();
    }
    status.code().is_none() && is_interrupted()
}

/// How the wait for a child was over.
enum Waited {
    Ended(ExitStatus),
    /// It goes on, and has said what was waited for.
    Answered,
    /// It was silent for too long, and killed.
    Silent,
    /// This process was interrupted.
    Interrupted,
}

/// Waits for the end of the child, or for enough of its events, which are looked for so often.
fn wait(
    running: &mut Running,
    look: Duration,
    is_enough: impl Fn(&Hearing) -> bool,
    tell: &mut dyn FnMut(&Event),
) -> std::io::Result<Waited> {
    let Running {
        child: Leashed(child),
        ended,
        hearing,
        silence,
        ..
    } = running;
    let (mut looks, mut silent) = (Looks::begin(), Duration::ZERO);
    loop {
        let closed = matches!(
            ended.recv_timeout(look),
            Err(RecvTimeoutError::Disconnected)
        );
        silent += looks.look();
        if hearing.hear(tell) {
            silent = Duration::ZERO;
        }
        if is_enough(hearing) {
            return Ok(Waited::Answered);
        }
        let status = child.try_wait()?;
        if let Some(status) = status {
            hearing.hear(tell);
            return Ok(match was_interrupted(status) {
                true => Waited::Interrupted,
                false => Waited::Ended(status),
            });
        }
        if silent > *silence || is_interrupted() {
            // Only the child that was started here, by its handle.
            let _ = child.kill();
            let _ = child.wait();
            hearing.hear(tell);
            return Ok(match is_interrupted() {
                true => Waited::Interrupted,
                false => Waited::Silent,
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
            Event::Alive | Event::Progress { .. } | Event::Holds { .. } => {}
            Event::Began { .. } => self.began = Some(event),
            // What was found is told before it is minimised, and again afterwards.
            Event::Done { .. } if matches!(self.answer, Some(Event::Done { .. })) => {
                self.answer = Some(event);
            }
            // Else the first answer counts: a watchdog may bark once more on the way out.
            _ => {
                self.answer.get_or_insert(event);
            }
        }
    }
}
