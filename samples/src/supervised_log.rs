//! A log whose writer is restarted when the disk fails: what was being written is lost, and no page
//! is written twice.

use actor_core::prelude::*;
use actor_core::{Backoff, Supervision};
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
