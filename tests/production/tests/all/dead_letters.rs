//! Dead letters: events that come too late.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::{Halt, Journal, idle, live};
use actor_core::prelude::*;

#[derive(Debug)]
struct Letter(#[expect(dead_code, reason = "printed")] u32);

struct Reader;

#[actor]
impl Reader {
    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }

    #[on]
    fn letter(&mut self, _: Letter) {}
}

fn reader(sys: &System) -> (ActorRef<Reader>, Journal) {
    let journal = Journal::new();
    let noted = journal.clone();
    live(sys)
        .on_dead_letter(move |letter| noted.note(format!("{}: {:?}", letter.name, letter.event)));
    (sys.spawn_named("reader", Reader), journal)
}

#[tokio::test(start_paused = true)]
async fn what_was_queued_and_what_comes_later() {
    let sys = System::new();
    let (reader, journal) = reader(&sys);
    reader.tell(Letter(0));
    reader.tell(Halt);
    reader.tell(Letter(1));
    reader.tell(Letter(2));
    idle().await;
    journal.expect(["reader: Letter(1)", "reader: Letter(2)"]);
    reader.tell(Letter(3));
    journal.expect(["reader: Letter(3)"]);
    Recipient::from(&reader).tell(Letter(4));
    journal.expect(["reader: Letter(4)"]);
    assert_eq!(live(&sys).dead_letters(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_causes_dead_letters_is_not_called_for_them() {
    let sys = System::new();
    let (reader, journal) = reader(&sys);
    reader.tell(Halt);
    idle().await;
    let (dead, noted) = (reader.clone(), journal.clone());
    live(&sys).on_dead_letter(move |_| {
        noted.note("hook");
        dead.tell(Letter(2));
    });
    reader.tell(Letter(1));
    journal.expect(["hook"]);
    assert_eq!(live(&sys).dead_letters(), 2);
}

#[derive(Debug)]
struct Counted;

struct Counter(Arc<AtomicU64>);

#[actor]
impl Counter {
    #[on]
    fn counted(&mut self, _: Counted) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// At any position of the halt among the sends of three threads, each event is handled or a dead letter.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_event_is_lost_or_counted_twice() {
    for round in 0..50 {
        let sys = System::new();
        let handled = Arc::new(AtomicU64::new(0));
        let counter = sys.spawn(Counter(handled.clone()));
        let send = |nth| {
            let counter = counter.clone();
            std::thread::spawn(move || {
                for at in 0..500 {
                    if nth == 0 && at == round * 10 {
                        counter.tell(Halt);
                    }
                    counter.tell(Counted);
                }
            })
        };
        for thread in [0, 1, 2].map(send) {
            thread.join().unwrap();
        }
        sys.shutdown().await.unwrap();
        let handled = handled.load(Ordering::Relaxed);
        let lost = live(&sys).dead_letters();
        assert_eq!(handled + lost, 1_500);
    }
}
