//! The actors of the soak test: [`Worker`]s, and the [`Foreman`] that supervises each group of them.

use std::any::Any;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actor_core::mailbox::{Mailbox, Overflow};
use actor_core::prelude::*;
use actor_core::supervision::{Backoff, Restart, Unread};
use actor_core::{Event, Supervision};

use crate::DRIVERS;
use crate::ledger::{LEDGER, Ticket};

/// The number of children of a foreman.
const SHARE: usize = 50;

/// The current worker of each place; a place may get another worker later.
pub(crate) struct Crew(Box<[Mutex<Option<ActorRef<Worker>>>]>);

impl Crew {
    pub(crate) fn new(size: usize) -> Self {
        Self((0..size).map(|_| Mutex::new(None)).collect())
    }

    pub(crate) fn size(&self) -> usize {
        self.0.len()
    }

    /// Returns the places of each foreman's workers.
    pub(crate) fn shares(&self) -> impl Iterator<Item = Range<usize>> {
        let size = self.size();
        (0..size)
            .step_by(SHARE)
            .map(move |first| first..size.min(first + SHARE))
    }

    /// Returns the worker of that place; `None` before the first one.
    pub(crate) fn at(&self, place: usize) -> Option<ActorRef<Worker>> {
        self.place(place).clone()
    }

    fn set(&self, place: usize, worker: ActorRef<Worker>) {
        *self.place(place) = Some(worker);
    }

    fn place(&self, place: usize) -> MutexGuard<'_, Option<ActorRef<Worker>>> {
        self.0[place].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the number of the foreman of a place.
pub(crate) fn share_of(place: usize) -> usize {
    place / SHARE
}

/// The error of a worker that refuses its job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Refused;

/// An order that is carried out without waits.
#[derive(Debug)]
pub(crate) struct Brief {
    pub(crate) ticket: Ticket,
    pub(crate) stamp: Option<Stamp>,
    pub(crate) job: BriefJob,
}

#[derive(Debug)]
pub(crate) enum BriefJob {
    Nothing,
    Forward(ActorRef<Worker>),
    Tick,
    Refuse,
    Panic,
    Halt,
}

/// An order that is carried out with waits.
#[derive(Debug)]
pub(crate) struct Slow {
    pub(crate) ticket: Ticket,
    pub(crate) stamp: Option<Stamp>,
    pub(crate) job: SlowJob,
}

#[derive(Debug)]
pub(crate) enum SlowJob {
    Yield,
    Sleep,
    Panic,
    /// Asks a worker with a higher place than the asker, so that there is no cycle of waits.
    Ask(ActorRef<Worker>),
}

/// The driver that sent the event, and the event's number among those of the driver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    pub(crate) driver: usize,
    pub(crate) number: u64,
}

/// Makes a foreman put a new worker in a place.
#[derive(Debug)]
pub(crate) struct Hire {
    pub(crate) ticket: Ticket,
    pub(crate) place: usize,
}

/// Makes a foreman fail.
#[derive(Debug)]
pub(crate) struct Trip {
    pub(crate) ticket: Ticket,
}

#[derive(Debug)]
struct Tick;

/// Records an event that will never be handled.
pub(crate) fn dead_letter(event: &dyn Event) {
    let event: &dyn Any = event;
    let ticket = None
        .or_else(|| event.downcast_ref().map(|brief: &Brief| &brief.ticket))
        .or_else(|| event.downcast_ref().map(|slow: &Slow| &slow.ticket))
        .or_else(|| event.downcast_ref().map(|hire: &Hire| &hire.ticket))
        .or_else(|| event.downcast_ref().map(|trip: &Trip| &trip.ticket));
    ticket.expect("every event has a ticket").is_dead();
}

/// Panics without printing a message.
fn panic() -> ! {
    std::panic::resume_unwind(Box::new("injected"))
}

/// The last handled stamp of each driver, shared by all incarnations of an actor.
#[derive(Default)]
struct Seen([AtomicU64; DRIVERS]);

impl Seen {
    fn stamp(&self, stamp: Option<Stamp>) {
        if let Some(Stamp { driver, number }) = stamp
            && self.0[driver].swap(number, Ordering::Relaxed) >= number
        {
            LEDGER.overtaken();
        }
    }
}

/// Carries out orders.
pub(crate) struct Worker {
    seen: Arc<Seen>,
}

#[actor]
impl Worker {
    #[on]
    fn brief(&mut self, brief: Brief, cx: &mut Context<Self>) -> Result<u64, Refused> {
        let Brief { ticket, stamp, job } = brief;
        ticket.begin();
        self.seen.stamp(stamp);
        match job {
            BriefJob::Nothing => {}
            BriefJob::Forward(to) => to.tell(Brief {
                ticket: Ticket::new(),
                stamp: None,
                job: BriefJob::Nothing,
            }),
            BriefJob::Tick => drop(cx.after(Duration::from_millis(2), Tick)),
            BriefJob::Refuse => return Err(Refused),
            BriefJob::Panic => panic(),
            BriefJob::Halt => cx.halt(),
        }
        ticket.handled();
        Ok(stamp.map_or(0, |stamp| stamp.number))
    }

    #[on]
    async fn slow(&mut self, slow: Slow, cx: &mut Context<Self>) -> Result<u64, Refused> {
        let Slow { ticket, stamp, job } = slow;
        ticket.begin();
        self.seen.stamp(stamp);
        match job {
            SlowJob::Yield => tokio::task::yield_now().await,
            SlowJob::Sleep => cx.sleep(Duration::from_millis(1)).await,
            SlowJob::Panic => {
                tokio::task::yield_now().await;
                panic()
            }
            SlowJob::Ask(other) => {
                let brief = Brief {
                    ticket: Ticket::new(),
                    stamp: None,
                    job: BriefJob::Nothing,
                };
                if let Ok(answer) = other.ask(brief).await {
                    assert_eq!(answer, Ok(0), "the answer is to another question");
                }
            }
        }
        ticket.handled();
        Ok(stamp.map_or(0, |stamp| stamp.number))
    }

    #[on]
    fn tick(&mut self, _: Tick) {}
}

/// Supervises the workers in a few places.
pub(crate) struct Foreman {
    crew: Arc<Crew>,
    share: Range<usize>,
}

impl Foreman {
    pub(crate) fn new(crew: Arc<Crew>, share: Range<usize>) -> Self {
        Self { crew, share }
    }
}

#[actor]
impl Foreman {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        // Some foremen give up soon, and most never.
        let times = match share_of(self.share.start) % 16 {
            0 => 3,
            _ => 1_000_000,
        };
        let supervision = match share_of(self.share.start) % 4 {
            1 => Supervision::rest_for_one(),
            2 => Supervision::one_for_all(),
            _ => Supervision::one_for_one(),
        };
        cx.supervise(supervision.intensity(times, Duration::from_secs(1)));
        for place in self.share.clone() {
            self.hire_for(place, cx);
        }
    }

    #[on]
    fn hire(&mut self, hire: Hire, cx: &mut Context<Self>) {
        hire.ticket.begin();
        self.hire_for(hire.place, cx);
        hire.ticket.handled();
    }

    #[on]
    fn trip(&mut self, trip: Trip) {
        trip.ticket.begin();
        panic()
    }

    /// Spawns a worker. Workers differ in their mailboxes and in their supervision.
    fn hire_for(&self, place: usize, cx: &mut Context<Self>) {
        let mut spawner = cx.spawner();
        spawner = match place % 8 {
            1 => spawner.mailbox(Mailbox::bounded(8)),
            2 => spawner.mailbox(Mailbox::bounded(8).overflow(Overflow::DropOldest)),
            3 => spawner.mailbox(Mailbox::bounded(8).overflow(Overflow::Reject)),
            _ => spawner,
        };
        spawner = match place % 5 {
            1 => spawner.restart(Restart::Permanent),
            2 => spawner.on_restart(Unread::Drop),
            3 => spawner.backoff(Backoff::new(
                Duration::from_millis(1),
                Duration::from_millis(20),
            )),
            _ => spawner,
        };
        let seen = Arc::new(Seen::default());
        let worker = spawner.spawn_with(move || Worker { seen: seen.clone() });
        self.crew.set(place, worker);
    }
}
