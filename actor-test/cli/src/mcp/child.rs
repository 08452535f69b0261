//! Runs of the tool as a child process, which isolate hangs, crashes and endless output.

use std::ffi::OsString;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

/// The maximum number of bytes kept of standard output: a line for each test, with the stories of its bugs.
const STDOUT_MAX: usize = 256 << 20;
const STDERR_MAX: usize = 64 << 10;

/// The time that a child has to end after SIGTERM.
const PATIENCE: Duration = Duration::from_secs(5);

/// The end of a child.
pub(super) struct ToolOutput {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    /// The end of the child's standard error.
    pub(super) stderr: String,
    /// True if the child was cancelled, by the client or by the time limit.
    pub(super) given_up: bool,
}

/// Runs the tool with arguments, until it ends or is cancelled.
pub(super) async fn run(
    arguments: Vec<OsString>,
    limit: Duration,
    context: &RequestContext<RoleServer>,
) -> Result<ToolOutput, String> {
    let mut command = Command::new(program()?);
    command
        .arg("actor-test")
        .args(arguments)
        // Programs read cargo's messages, so they need no colours.
        .env("CARGO_TERM_COLOR", "never")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    // Cargo, the compiler and the tests are in the child's process group, so that a signal reaches all.
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn();
    let mut child = child.map_err(|error| format!("can't start cargo-actor-test: {error}"))?;
    let group = ProcessGroup(child.id());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let outputs = async { tokio::join!(kept(stdout, STDOUT_MAX), tail(stderr, STDERR_MAX)) };
    let mut outputs = std::pin::pin!(outputs);
    let mut given_up = true;
    let ended = tokio::select! {
        printed = &mut outputs => {
            given_up = false;
            Some(printed)
        }
        () = context.ct.cancelled() => None,
        () = sleep(limit) => None,
    };
    if given_up {
        group.end();
    }
    let (stdout, stderr) = match ended {
        Some(printed) => printed,
        None => match timeout(PATIENCE, &mut outputs).await {
            Ok(printed) => printed,
            Err(_) => {
                group.kill();
                timeout(PATIENCE, outputs).await.unwrap_or_default()
            }
        },
    };
    let status = status(&mut child, &group).await?;
    Ok(ToolOutput {
        code: status.code(),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        given_up,
    })
}

async fn status(child: &mut Child, group: &ProcessGroup) -> Result<ExitStatus, String> {
    let waited = match timeout(PATIENCE, child.wait()).await {
        Ok(waited) => waited,
        Err(_) => {
            group.kill();
            child.wait().await
        }
    };
    waited.map_err(|error| format!("can't wait for cargo-actor-test: {error}"))
}

/// Returns the path of this program, even if the file was replaced by a new build.
fn program() -> Result<OsString, String> {
    if cfg!(target_os = "linux") {
        return Ok("/proc/self/exe".into());
    }
    let program = std::env::current_exe();
    program
        .map(Into::into)
        .map_err(|error| format!("can't find cargo-actor-test: {error}"))
}

/// The process group of a child; dropping the value ends the group.
struct ProcessGroup(Option<u32>);

impl ProcessGroup {
    /// Sends SIGTERM to the group.
    fn end(&self) {
        #[cfg(unix)]
        self.signal(nix::sys::signal::Signal::SIGTERM);
    }

    /// Sends SIGKILL to the group.
    fn kill(&self) {
        #[cfg(unix)]
        self.signal(nix::sys::signal::Signal::SIGKILL);
    }

    #[cfg(unix)]
    fn signal(&self, signal: nix::sys::signal::Signal) {
        let id = self.0.and_then(|id| i32::try_from(id).ok());
        if let Some(id) = id {
            // The group may have ended already.
            let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(id), signal);
        }
    }
}

impl Drop for ProcessGroup {
    /// Ends processes of the group that are left, or all if the call was dropped.
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads to the end, and returns the first `max` bytes.
async fn kept(source: Option<impl AsyncRead + Unpin>, max: usize) -> Vec<u8> {
    let mut kept = Vec::new();
    read(source, &mut |bytes| {
        let room = max.saturating_sub(kept.len());
        kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    })
    .await;
    kept
}

/// Reads to the end, and returns the last `max` bytes.
async fn tail(source: Option<impl AsyncRead + Unpin>, max: usize) -> Vec<u8> {
    let mut kept: Vec<u8> = Vec::new();
    read(source, &mut |bytes| {
        kept.extend_from_slice(bytes);
        if kept.len() > 2 * max {
            kept.drain(..kept.len() - max);
        }
    })
    .await;
    kept.split_off(kept.len().saturating_sub(max))
}

async fn read(source: Option<impl AsyncRead + Unpin>, take: &mut (dyn FnMut(&[u8]) + Send)) {
    let mut chunk = vec![0; 64 << 10];
    let Some(mut source) = source else { return };
    while let Ok(read @ 1..) = source.read(&mut chunk).await {
        take(&chunk[..read]);
    }
}
