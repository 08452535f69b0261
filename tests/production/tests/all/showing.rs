//! The status of a system's actors on a local socket.

use std::io::{ErrorKind, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use actor_core::prelude::*;

#[derive(Debug)]
struct Wait;

struct Waiter;

#[actor(states(Calm))]
impl Waiter {
    #[on]
    async fn wait(&mut self, _: Wait) {
        std::future::pending::<()>().await;
    }
}

/// Reads the socket's answer, off the runtime's thread.
async fn shown(at: &Path) -> String {
    let at = at.to_owned();
    let ask = move || {
        let mut text = String::new();
        let mut stream = UnixStream::connect(at).unwrap();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    tokio::task::spawn_blocking(ask).await.unwrap()
}

#[tokio::test]
async fn actors_are_shown_to_their_owner() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().join("top.sock");
    let sys = System::new();
    let live = sys.as_live().unwrap();
    let waiter = sys.spawn_named("wait\ter", Waiter);
    let shown_at = live.show_at(&at).unwrap();
    let mode = std::fs::metadata(&at).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for _ in 0..3 {
        waiter.tell(Wait);
    }
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let text = shown(&at).await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        (lines.len(), lines[0], lines[2]),
        (3, "actor-core top 1", "end")
    );
    let parts: Vec<&str> = lines[1].split('\t').collect();
    assert_eq!(
        parts[..6],
        ["wait\\ter", "Waiter", "Calm", "Wait", "1", "2"]
    );
    assert!(parts[6].parse::<u64>().unwrap() >= 20, "{text}");
    assert_eq!(parts[7], "0");
    // The socket is created beside its final path, and nothing else is left there.
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    drop(shown_at);
    assert!(!at.exists());
}

#[tokio::test]
async fn a_place_that_is_taken_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let sys = System::new();
    let live = sys.as_live().unwrap();
    let refused = |at: &Path, kind, why: &str| {
        let error = live.show_at(at).unwrap_err();
        assert_eq!(error.kind(), kind);
        let expected = format!("can't show actors at {}: {why}", at.display());
        assert_eq!(error.to_string(), expected);
    };
    let file = directory.path().join("file");
    std::fs::write(&file, "text").unwrap();
    refused(&file, ErrorKind::AlreadyExists, "it is no socket");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "text");
    let at = directory.path().join("top.sock");
    let shown_at = live.show_at(&at).unwrap();
    let taken = "another program shows its actors there";
    refused(&at, ErrorKind::AddrInUse, taken);
    drop(shown_at);
    // A stale socket of a crashed program is replaced.
    drop(UnixListener::bind(&at).unwrap());
    assert!(at.exists());
    let again = live.show_at(&at).unwrap();
    assert!(shown(&at).await.ends_with("end\n"));
    drop(again);
    let missing = directory.path().join("no/such/place");
    assert_eq!(
        live.show_at(&missing).unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

/// The thread that serves the socket keeps no system alive, and ends after it.
#[tokio::test]
async fn a_system_that_is_gone_shows_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().join("top.sock");
    let sys = System::new();
    let shown_at = sys.as_live().unwrap().show_at(&at).unwrap();
    sys.spawn(Waiter);
    drop(sys);
    assert_eq!(shown(&at).await, "");
    drop(shown_at);
}
