//! Actors shown to whoever may open a local socket, for the feature `top`: [`Shown`].
//!
//! A thread of its own answers, so that actors that keep all threads of the runtime busy are seen
//! nevertheless. Who connects is told every actor once, a line each, and the connection is closed.

use std::fmt::{self, Write as _};
use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use super::live::LiveSystem;
use super::status::ActorStatus;
use crate::production::running::actor::Guard;

/// What is answered begins with this line, and ends with the other.
const FIRST: &str = "actor-core top 1";
const LAST: &str = "end";

/// Who does not read is not waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// As long as it lives, a system's actors are shown; made by [`LiveSystem::show_at`].
#[must_use = "the actors are shown as long as this lives"]
pub struct Shown {
    at: PathBuf,
    is_over: Arc<AtomicBool>,
}

impl Shown {
    /// Shows the actors of a system at a socket that only the owner of this process may open.
    pub(in crate::production) fn at(path: &Path, system: Weak<Guard>) -> io::Result<Self> {
        let listener = listen(path).map_err(|error| explained(path, &error))?;
        let shown = Self {
            at: path.to_owned(),
            is_over: Arc::default(),
        };
        let is_over = shown.is_over.clone();
        let answering = move || {
            for asker in listener.incoming() {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let Some(guard) = system.upgrade() else {
                    return;
                };
                // One that goes away, or does not read, is its own affair.
                drop(asker.and_then(|asker| answer(asker, &LiveSystem::guarded(guard))));
            }
        };
        thread::Builder::new()
            .name("actor-core top".into())
            .spawn(answering)?;
        Ok(shown)
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // The thread waits for who connects next.
        drop(UnixStream::connect(&self.at));
        drop(fs::remove_file(&self.at));
    }
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shown").field(&self.at).finish()
    }
}

/// A socket that nobody else could open at any time: it is made in a directory of its own, and comes to
/// its place when its mode is right.
fn listen(path: &Path) -> io::Result<UnixListener> {
    make_way(path)?;
    let beside = path.with_extension(format!("{}.making", std::process::id()));
    DirBuilder::new().mode(0o700).create(&beside)?;
    let made = beside.join("s");
    let listening = UnixListener::bind(&made).and_then(|listener| {
        fs::set_permissions(&made, Permissions::from_mode(0o600))?;
        fs::rename(&made, path)?;
        Ok(listener)
    });
    drop(fs::remove_file(&made));
    fs::remove_dir(&beside)?;
    listening
}

/// Removes a socket at which nobody listens any more.
fn make_way(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !found.file_type().is_socket() {
        return Err(io::Error::new(ErrorKind::AlreadyExists, "it is no socket"));
    }
    match UnixStream::connect(path) {
        Ok(_) => Err(io::Error::new(
            ErrorKind::AddrInUse,
            "another program shows its actors there",
        )),
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) => Err(error),
    }
}

fn explained(path: &Path, error: &io::Error) -> io::Error {
    let path = path.display();
    io::Error::new(
        error.kind(),
        format!("can't show actors at {path}: {error}"),
    )
}

fn answer(mut asker: UnixStream, system: &LiveSystem) -> io::Result<()> {
    asker.set_write_timeout(Some(PATIENCE))?;
    let mut text = format!("{FIRST}\n");
    for status in system.actors() {
        line(&mut text, &status);
    }
    text.push_str(LAST);
    text.push('\n');
    asker.write_all(text.as_bytes())
}

/// One actor: its name, type, state and event in hand, whether that waits, how many events are unread,
/// for how many milliseconds the oldest has waited, and how often it was brought back; a dash for what
/// there is not, and a tab between two.
fn line(text: &mut String, status: &ActorStatus) {
    let name = status.name.escape_debug();
    let [state, event] = [status.state, status.event].map(|part| part.unwrap_or("-"));
    let oldest = status.oldest.map(|oldest| oldest.as_millis().to_string());
    // Writing into a string does not fail.
    let _ = writeln!(
        text,
        "{name}\t{}\t{state}\t{event}\t{}\t{}\t{}\t{}",
        status.actor_type,
        u8::from(status.waits),
        status.unread,
        oldest.as_deref().unwrap_or("-"),
        status.restarts,
    );
}
