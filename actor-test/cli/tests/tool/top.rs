//! Tests of `cargo actor-test top`, with a fake program that answers.

use std::io::Write;
use std::os::unix::net::UnixListener;
use std::path::Path;

use crate::project::{Said, tool};

fn top(at: &Path) -> Said {
    tool().arg("top").arg(at).run()
}

/// Answers each connection with the next of the answers.
fn answering(at: &Path, answers: &'static [&'static str]) -> std::thread::JoinHandle<()> {
    let listener = UnixListener::bind(at).expect("a place for the socket");
    std::thread::spawn(move || {
        for answer in answers {
            let (mut asker, _) = listener.accept().expect("the tool connects");
            asker.write_all(answer.as_bytes()).expect("the tool reads");
        }
    })
}

#[test]
fn a_picture_is_printed_once_where_it_is_piped() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path().join("top.sock");
    let program = answering(
        &at,
        &[
            "actor-core top 1\nlog\tLog\t-\t-\t0\t0\t-\t0\nprinter\tPrinter\tBusy\tPrint\t1\t12\t3400\t1\nend\n",
        ],
    );
    let said = top(&at);
    program.join().expect("it has answered");
    assert_eq!(said.code, Some(0), "{said:?}");
    let expected = "\
2 actors, 12 unread
ACTOR              STATE  IN HAND          UNREAD  OLDEST  RESTARTS
printer (Printer)  Busy   awaits in Print      12    3.4s         1
log (Log)          -      -                     0       -         0
";
    assert_eq!(said.stdout, expected);
}

#[test]
fn a_bad_place_is_an_error_that_says_what_would_be_right() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path().join("top.sock");
    let expect = |why: &str| {
        let said = top(&at);
        let error = format!("error: {}: {why}", at.display());
        assert_eq!(said.error(), error);
    };
    expect(
        "there is no socket; a program shows its actors with `live.show_at(path)`, and the feature `top` \
         of actor-core",
    );
    drop(UnixListener::bind(&at).expect("a place for the socket"));
    expect("the program that showed its actors there has ended");
    std::fs::remove_file(&at).expect("it is there");
    let program = answering(&at, &["HTTP/1.1 400 Bad Request\r\n"]);
    let said = top(&at);
    program.join().expect("it has answered");
    let error = format!("error: what answers at {} shows no actors", at.display());
    assert_eq!(said.error(), error);
}
