//! Supervision: a writer is restarted when the disk fails. The page
//! that was being written is lost, and no page is written twice.

use actor_core::Supervision;
use actor_core::prelude::*;
use actor_core::supervision::{Backoff, Decision, Failure};
use actor_test::actor_test;
use std::time::Duration;

#[derive(Debug)]
struct Store(u32);

#[derive(Debug)]
struct Stored;

#[derive(Debug)]
struct Begin;

/// Writes to a disk that may fail.
struct Writer {
    log: ActorRef<Log>,
}

#[actor]
impl Writer {
    #[on]
    fn store(&mut self, store: Store, cx: &mut Context<Self>) {
        assert!(!cx.choose_bool(), "the disk can't write {}", store.0);
        self.log.tell(Stored);
    }
}

// ANCHOR: supervisor
#[derive(Default)]
struct Log {
    writer: Option<ActorRef<Writer>>,
    stored: u32,
}

#[actor]
impl Log {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.supervise(Supervision::one_for_one().intensity(5, Duration::from_secs(1)));
        let log = cx.me();
        let pause = Backoff::new(Duration::from_millis(10), Duration::from_secs(1));
        let writer = cx
            .spawner()
            .name("writer")
            .backoff(pause)
            .spawn_with(move || Writer { log: log.clone() });
        self.writer = Some(writer);
    }
    // ANCHOR_END: supervisor

    #[on]
    fn begin(&mut self, _: Begin) {
        for page in 0..2 {
            if let Some(writer) = &self.writer {
                writer.tell(Store(page));
            }
        }
    }

    #[on]
    fn stored(&mut self, _: Stored) {
        self.stored += 1;
    }
}

// ANCHOR: test
#[actor_test(supervised)]
fn a_page_is_lost_where_the_disk_fails(sys: &System) {
    let log = sys.spawn(Log::default());
    log.tell(Begin);
    let (both, none) = (log.clone(), log.clone());
    sys.sometimes("both pages are stored", move |w| {
        w.get(&both).is_some_and(|log| log.stored == 2)
    });
    sys.always("no page is stored twice", move |w| {
        w.get(&none).is_none_or(|log| log.stored <= 2)
    });
}
// ANCHOR_END: test

// ANCHOR: decision
/// Reads pages from a disk that may be busy or broken.
struct Reader;

#[derive(Debug)]
struct Read;

#[actor]
impl Reader {
    #[on]
    fn read(&mut self, _: Read, cx: &mut Context<Self>) {
        match cx.choose(3) {
            0 => {}
            1 => panic!("the disk is busy"),
            _ => panic!("the disk is broken"),
        }
    }
}

struct Library;

#[actor]
impl Library {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.decide_failures();
        cx.spawner()
            .name("reader")
            .registered()
            .spawn_with(|| Reader);
    }

    #[on]
    fn failed(&mut self, failure: Failure) -> Decision {
        if failure.message == "the disk is broken" {
            Decision::Stop
        } else {
            Decision::Restart
        }
    }
}

#[actor_test(supervised)]
async fn a_broken_disk_is_not_read_again(sys: &System) {
    let library = sys.spawn(Library);
    assert_eq!(library.started().await, Ok(()));
    let reader = sys
        .lookup::<Reader>("reader")
        .await
        .expect("it is registered");
    for _ in 0..3 {
        if reader.ask(Read).await == Err(AskError::Stopped) {
            assert!(!reader.is_alive());
        }
    }
}
// ANCHOR_END: decision
