//! The mailbox under all orderings of a few threads, by loom: `.ci/loom` runs these.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use loom::future::block_on;
use loom::thread::{self, JoinHandle};

use super::bound::{Admission, Bound};
use super::current::Sender;
use super::mailbox::{Entry, Kind, Letters, Mailbox};
use crate::actor::{Actor, Handler};
use crate::mailbox;
use crate::parts::{Spawning, mail_of};
use crate::prelude::*;
use crate::runtime::Spawn;
use crate::slab::Slot;

#[derive(Debug)]
struct Number(u32);

struct Sink;

#[actor(crate = crate)]
impl Sink {
    #[on]
    fn number(&mut self, _: Number) {}
}

fn new(settings: mailbox::Mailbox) -> Arc<Mailbox> {
    let make_mail = Spawning::<Sink>(None).mail();
    Arc::new(Mailbox::new(make_mail, settings))
}

fn message(number: u32) -> Slot<<Sink as Actor>::Message> {
    Slot::Full(Sink::message(Number(number), Reply::nobody()))
}

/// Sends; `false` where the mailbox is closed.
fn push(mailbox: &Mailbox, number: u32) -> bool {
    let Some(mut opened) = mailbox.open() else {
        return false;
    };
    let slot = mail_of::<Sink>(opened.mail()).insert(&mut message(number));
    opened.push_event(0, slot, Sender::NONE);
    true
}

fn open(letters: &Letters, entry: &Entry) -> u32 {
    assert!(entry.kind == Kind::Event);
    let message = mail_of::<Sink>(letters.mail()).take(entry.slot);
    match Sink::unwrap(message) {
        Ok((Number(number), _)) => number,
        Err(_) => unreachable!("numbers are all that is sent"),
    }
}

fn spawn_sender(mailbox: &Arc<Mailbox>, numbers: std::ops::Range<u32>) -> JoinHandle<u32> {
    let mailbox = mailbox.clone();
    thread::spawn(move || {
        numbers
            .map(|number| u32::from(push(&mailbox, number)))
            .sum()
    })
}

/// Reads as an actor's task does, and waits where there is nothing.
fn fetch(mailbox: &Mailbox, count: usize) -> Vec<u32> {
    let mut letters = Letters::default();
    let mut read = Vec::new();
    while read.len() < count {
        block_on(poll_fn(|task| {
            mailbox.poll_fetch(&mut letters, true, task).map(drop)
        }));
        while let Some(entry) = letters.entries.pop_front() {
            read.push(open(&letters, &entry));
        }
    }
    read
}

/// No wake-up is lost, and each sender's events come in their order.
#[test]
fn what_two_senders_push_is_fetched() {
    loom::model(|| {
        let mailbox = new(mailbox::Mailbox::unbounded());
        let senders = [spawn_sender(&mailbox, 0..2), spawn_sender(&mailbox, 10..12)];
        let read = fetch(&mailbox, 4);
        let of = |decade: u32| -> Vec<u32> {
            let numbers = read.iter().copied();
            numbers.filter(|number| number / 10 == decade).collect()
        };
        assert_eq!((of(0), of(1)), (vec![0, 1], vec![10, 11]));
        for sender in senders {
            sender.join().expect("a sender returns");
        }
    });
}

/// An event is queued before the end, or refused.
#[test]
fn what_meets_the_end_is_queued_or_refused() {
    loom::model(|| {
        let mailbox = new(mailbox::Mailbox::unbounded());
        let senders = [spawn_sender(&mailbox, 0..2), spawn_sender(&mailbox, 10..11)];
        let queued = mailbox.close().entries.len() as u32;
        let sent: u32 = senders
            .into_iter()
            .map(|sender| sender.join().expect("a sender returns"))
            .sum();
        assert_eq!(queued, sent);
        assert!(!push(&mailbox, 0));
    });
}

/// Sends where there is room, and waits in line otherwise; `gives_up` when it has asked so often.
fn offer(mailbox: &Mailbox, number: u32, gives_up: Option<usize>) -> bool {
    let mut ticket = None;
    let mut asked = 0;
    let sent = block_on(poll_fn(|task| {
        asked += 1;
        let mut opened = mailbox.open().expect("it is never closed");
        let (admission, replaced): (Admission, Option<Waker>) =
            opened.offer(ticket, Some(task.waker()));
        let polled = match admission {
            Admission::Enter => {
                let slot = mail_of::<Sink>(opened.mail()).insert(&mut message(number));
                opened.push_counted(0, slot, Sender::NONE);
                Poll::Ready(true)
            }
            Admission::Wait(waiting) => {
                ticket = Some(waiting);
                drop(opened);
                match gives_up {
                    Some(times) if asked >= times => Poll::Ready(false),
                    _ => Poll::Pending,
                }
            }
            other => panic!("{other:?} is not for who waits"),
        };
        drop(replaced);
        polled
    }));
    if let Some(ticket) = ticket.filter(|_| !sent) {
        mailbox.leave_line(ticket);
    }
    sent
}

/// Reads as the task of an actor with a bounded mailbox does.
fn take(mailbox: &Mailbox) -> u32 {
    let mut letters = Letters::default();
    let first = |letters: &Letters, _: &mut Bound| (!letters.entries.is_empty()).then_some(0);
    let (entry, _) = block_on(poll_fn(|task| mailbox.poll_take(&mut letters, first, task)));
    open(&letters, &entry)
}

/// Whoever waits for room is told when there is some.
#[test]
fn who_waits_for_room_finds_some() {
    loom::model(|| {
        let mailbox = new(mailbox::Mailbox::bounded(1));
        let senders = [0, 1].map(|number| {
            let mailbox = mailbox.clone();
            thread::spawn(move || offer(&mailbox, number, None))
        });
        let mut read = [take(&mailbox), take(&mailbox)];
        read.sort_unstable();
        assert_eq!(read, [0, 1]);
        for sender in senders {
            assert!(sender.join().expect("a sender returns"));
        }
    });
}

/// Room that was promised to someone who gives up is the next one's.
#[test]
fn room_of_who_gives_up_is_not_lost() {
    loom::model(|| {
        let mailbox = new(mailbox::Mailbox::bounded(1));
        assert!(offer(&mailbox, 7, None));
        let senders = [(0, Some(1)), (1, None)].map(|(number, gives_up)| {
            let mailbox = mailbox.clone();
            thread::spawn(move || offer(&mailbox, number, gives_up))
        });
        assert_eq!(take(&mailbox), 7);
        let first = take(&mailbox);
        let [impatient, patient] = senders.map(|sender| sender.join().expect("a sender returns"));
        assert!(patient);
        if impatient {
            assert_eq!(first + take(&mailbox), 1);
        } else {
            assert_eq!(first, 1);
        }
    });
}
