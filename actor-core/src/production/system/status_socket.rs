//! Actor status over a local socket, for the feature `top`: [`StatusSocket`].
//!
//! A thread of its own answers, so that actors that occupy all threads of the runtime are shown, too.
//! Each connection gets every actor once, a line each, and is closed.

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
use crate::production::actor::hub::Guard;

/// The first and last lines of an answer.
const FIRST: &str = "actor-core top 1";
const LAST: &str = "end";

/// The time limit for a client that does not read.
const PATIENCE: Duration = Duration::from_secs(1);

/// A guard: the actors of a system are shown until it is dropped; made by [`LiveSystem::show_at`].
#[must_use = "the actors are shown as long as this lives"]
pub struct StatusSocket {
    at: PathBuf,
    is_over: Arc<AtomicBool>,
}

impl StatusSocket {
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
                // A client that disconnects, or does not read, needs no answer.
                drop(asker.and_then(|asker| answer(asker, &LiveSystem::guarded(guard))));
            }
        };
        thread::Builder::new()
            .name("actor-core top".into())
            .spawn(answering)?;
        Ok(shown)
    }
}

impl Drop for StatusSocket {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread, which waits for the next connection.
        drop(UnixStream::connect(&self.at));
        drop(fs::remove_file(&self.at));
    }
}

impl fmt::Debug for StatusSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shown").field(&self.at).finish()
    }
}

/// Makes a socket that other users can never open: in a private directory, moved once its mode is right.
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

/// Removes a socket without a listener.
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

/// Writes one actor: name, type, state, current event, 1 if the handler waits, number of unread events, age
/// of the oldest in milliseconds, number of restarts. A dash means none; separated by tabs.
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
