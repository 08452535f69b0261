//! Loom models of the mailbox, which check all orderings of a few threads; `.ci/loom` runs them.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use loom::future::block_on;
use loom::sync::Condvar;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread::{self, JoinHandle};

use super::bound::{Admission, BoundCounter};
use super::queue::{Entry, EntryKind, Letters, Reading};
use super::sync::{Mutex, lock};
use crate::actor::instance::spawn_of;
use crate::actor::{Actor, Handler};
use crate::prelude::*;
use crate::production::host::current::Sender;
use crate::seam::{self, SpawnType, mail_of};
use crate::slab::Slot;

#[derive(Debug)]
struct Number(u32);

struct Sink;

#[actor(crate = crate)]
impl Sink {
    #[on]
    fn number(&mut self, _: Number) {}
}

/// A signal to a reader to run.
#[derive(Default)]
struct Turn {
    has_come: Mutex<bool>,
    comes: Condvar,
}

impl Turn {
    fn come(&self) {
        *lock(&self.has_come) = true;
        self.comes.notify_one();
    }

    fn wait(&self) {
        let mut has_come = lock(&self.has_come);
        while !*has_come {
            has_come = self.comes.wait(has_come).expect("nobody panics");
        }
        *has_come = false;
    }
}

/// A reader that the mailbox keeps while it is parked: the thread that takes it out signals the reader.
struct Reader(Arc<Turn>);

type Mailbox = super::queue::ActorMailbox<Reader>;

fn run(roused: Option<Reader>) {
    if let Some(Reader(turn)) = roused {
        turn.come();
    }
}

fn park(mailbox: &Mailbox, turn: &Arc<Turn>) {
    if mailbox.park(Reader(turn.clone())).is_none() {
        turn.wait();
    }
}

fn new(settings: seam::Mailbox) -> Arc<Mailbox> {
    let make_mail = spawn_of(Sink, None).of().mail;
    Arc::new(Mailbox::new(make_mail, settings))
}

fn message(number: u32) -> Slot<<Sink as Actor>::Message> {
    Slot::Full(Sink::__message(Number(number), Reply::nobody()))
}

/// Sends; returns `false` if the mailbox is closed.
fn push(mailbox: &Mailbox, number: u32) -> bool {
    let Some(mut opened) = mailbox.open() else {
        return false;
    };
    let slot = mail_of::<Sink>(opened.mail()).insert(&mut message(number));
    run(opened.push_event(0, slot, Sender::NONE));
    true
}

fn open(letters: &Letters, entry: &Entry) -> u32 {
    assert!(entry.kind == EntryKind::Event);
    let message = mail_of::<Sink>(letters.mail()).take(entry.slot);
    match Sink::__unwrap(message) {
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

/// Reads as an actor does, or as a future `within` its handler.
fn fetch(mailbox: &Mailbox, count: usize, within: bool) -> Vec<u32> {
    let mut letters = Letters::default();
    let mut read = Vec::new();
    let turn = Arc::<Turn>::default();
    while read.len() < count {
        if within {
            block_on(poll_fn(|task| {
                let waker = Some(task.waker().clone());
                mailbox.poll_fetch(&mut letters, true, waker).map(drop)
            }));
        } else if mailbox.poll_fetch(&mut letters, true, None).is_pending() {
            park(mailbox, &turn);
        }
        while let Some(entry) = letters.entries.pop_front() {
            read.push(open(&letters, &entry));
        }
    }
    read
}

/// No wake-up is lost, and the events of each sender keep their order.
fn two_senders(within: bool) {
    loom::model(move || {
        let mailbox = new(seam::Mailbox::unbounded());
        let senders = [spawn_sender(&mailbox, 0..2), spawn_sender(&mailbox, 10..12)];
        let read = fetch(&mailbox, 4, within);
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

#[test]
fn what_two_senders_push_is_fetched() {
    two_senders(false);
}

#[test]
fn what_two_senders_push_is_fetched_by_who_waits_within() {
    two_senders(true);
}

/// A wake-up without an event, for instance for an order, is not lost either.
#[test]
fn who_is_roused_runs_once_more() {
    loom::model(|| {
        let mailbox = new(seam::Mailbox::unbounded());
        let ordered = Arc::new(AtomicBool::new(false));
        let orders = {
            let (mailbox, ordered) = (mailbox.clone(), ordered.clone());
            thread::spawn(move || {
                ordered.store(true, Ordering::SeqCst);
                run(mailbox.rouse());
            })
        };
        let sender = spawn_sender(&mailbox, 0..1);
        let mut letters = Letters::default();
        let turn = Arc::<Turn>::default();
        let mut read = 0;
        while !ordered.load(Ordering::SeqCst) || read == 0 {
            if mailbox.poll_fetch(&mut letters, true, None).is_pending() {
                if ordered.load(Ordering::SeqCst) && read == 1 {
                    break;
                }
                park(&mailbox, &turn);
            }
            while let Some(entry) = letters.entries.pop_front() {
                open(&letters, &entry);
                read += 1;
            }
        }
        assert_eq!(read, 1);
        for thread in [sender.join().map(drop), orders.join()] {
            thread.expect("a thread returns");
        }
    });
}

/// An event is queued before the mailbox closes, or refused.
#[test]
fn what_meets_the_end_is_queued_or_refused() {
    loom::model(|| {
        let mailbox = new(seam::Mailbox::unbounded());
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

/// Sends if there is capacity, and waits in line otherwise; gives up after `gives_up` polls.
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
                run(opened.push_counted(0, slot, Sender::NONE));
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

/// Reads as an actor with a bounded mailbox does.
struct Counting<'a> {
    mailbox: &'a Mailbox,
    tally: Arc<BoundCounter>,
    letters: Letters,
}

impl<'a> Counting<'a> {
    fn new(mailbox: &'a Mailbox) -> Self {
        let Reading::Counted(tally) = mailbox.reading() else {
            unreachable!("its bound has who sends wait");
        };
        Self {
            mailbox,
            tally,
            letters: Letters::default(),
        }
    }

    fn take(&mut self) -> u32 {
        let turn = Arc::<Turn>::default();
        loop {
            if let Some(entry) = self.letters.entries.pop_front() {
                if self.tally.count() {
                    self.mailbox.make_room();
                }
                return open(&self.letters, &entry);
            }
            let fetched = self.mailbox.poll_fetch(&mut self.letters, true, None);
            if fetched.is_pending() {
                park(self.mailbox, &turn);
            }
        }
    }
}

/// A sender that waits for capacity is woken when there is some.
#[test]
fn who_waits_for_room_finds_some() {
    loom::model(|| {
        let mailbox = new(seam::Mailbox::bounded(1));
        let senders = [0, 1].map(|number| {
            let mailbox = mailbox.clone();
            thread::spawn(move || offer(&mailbox, number, None))
        });
        let mut reader = Counting::new(&mailbox);
        let mut read = [reader.take(), reader.take()];
        read.sort_unstable();
        assert_eq!(read, [0, 1]);
        for sender in senders {
            assert!(sender.join().expect("a sender returns"));
        }
    });
}

/// The permit of a sender that gives up goes to the next one.
#[test]
fn room_of_who_gives_up_is_not_lost() {
    loom::model(|| {
        let mailbox = new(seam::Mailbox::bounded(1));
        assert!(offer(&mailbox, 7, None));
        let senders = [(0, Some(1)), (1, None)].map(|(number, gives_up)| {
            let mailbox = mailbox.clone();
            thread::spawn(move || offer(&mailbox, number, gives_up))
        });
        let mut reader = Counting::new(&mailbox);
        assert_eq!(reader.take(), 7);
        let first = reader.take();
        let [impatient, patient] = senders.map(|sender| sender.join().expect("a sender returns"));
        assert!(patient);
        if impatient {
            assert_eq!(first + reader.take(), 1);
        } else {
            assert_eq!(first, 1);
        }
    });
}
