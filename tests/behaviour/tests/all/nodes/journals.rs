//! The journal under the tester: crashes at every step, between steps, and during recovery.

use std::sync::{Arc, Mutex};

use actor_core::journal::{Journal, JournalError};
use actor_core::prelude::*;
use actor_test::Tester;
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::settings::Search;

/// The appended values, in order, and the number that are confirmed as safe.
#[derive(Clone, Debug, Default)]
struct Ledger(Arc<Mutex<(Vec<u8>, usize)>>);

impl Ledger {
    fn append(&self, value: u8) -> usize {
        let mut ledger = self.0.lock().unwrap();
        ledger.0.push(value);
        ledger.0.len()
    }

    fn acknowledge(&self, len: usize) {
        let mut ledger = self.0.lock().unwrap();
        ledger.1 = ledger.1.max(len);
    }

    /// Checks that the survivors are a prefix that contains all confirmed
    /// values. From now on they are the contents, and all of them are confirmed.
    fn recovered(&self, values: &[u8]) {
        let mut ledger = self.0.lock().unwrap();
        let (appended, safe) = &*ledger;
        assert!(
            values.len() >= *safe,
            "{safe} are safe: {appended:?}, not {values:?}"
        );
        assert!(
            appended.starts_with(values),
            "a prefix of {appended:?}: {values:?}"
        );
        *ledger = (values.to_vec(), values.len());
    }
}

#[derive(Clone, Debug)]
struct Put(u8);
#[derive(Debug)]
struct Compact;
#[derive(Debug)]
struct Synced(usize, Result<(), JournalError>);

/// Keeps values in a journal, and handles other events during a sync.
struct Store {
    ledger: Ledger,
    values: Vec<u8>,
    journal: Option<Journal>,
}

impl Store {
    fn new(ledger: &Ledger) -> Self {
        Self {
            ledger: ledger.clone(),
            values: Vec::new(),
            journal: None,
        }
    }

    /// Syncs the appended values, unless the disk has failed.
    fn sync(&self, until: usize, cx: &mut Context<Self>) {
        if let Some(journal) = &self.journal {
            let synced = journal.sync();
            cx.pipe_to_self(synced, move |result| Synced(until, result));
        }
    }
}

#[actor]
impl Store {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) -> Result<(), JournalError> {
        let recovered = match Journal::recover(&cx.disk(), "store").await {
            Ok(recovered) => recovered,
            // A failing disk is no bug of the journal.
            Err(JournalError::Disk { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut values = recovered.snapshot.unwrap_or_default();
        assert_eq!(values.len() as u64, recovered.first);
        values.extend(recovered.records.iter().flatten());
        assert_eq!(recovered.journal.next(), values.len() as u64);
        self.ledger.recovered(&values);
        self.values = values;
        self.journal = Some(recovered.journal);
        Ok(())
    }

    #[on]
    fn put(&mut self, put: Put, cx: &mut Context<Self>) {
        let appended = self.journal.as_ref().map(|journal| journal.append([put.0]));
        if let Some(Ok(number)) = appended {
            assert_eq!(number, self.values.len() as u64);
            self.values.push(put.0);
            let until = self.ledger.append(put.0);
            self.sync(until, cx);
        }
    }

    #[on]
    fn compact(&mut self, _: Compact, cx: &mut Context<Self>) {
        if let Some(journal) = &self.journal
            && journal.snapshot(self.values.clone()).is_ok()
        {
            self.sync(self.values.len(), cx);
        }
    }

    #[on]
    fn synced(&mut self, synced: Synced) {
        match synced.1 {
            Ok(()) => self.ledger.acknowledge(synced.0),
            Err(JournalError::Disk { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Three incarnations of a store, which end at any moment, with or without a power failure.
async fn three_lives(sys: System, block: u32) {
    let disk = sys.disk();
    let faults = disk.faults().expect("under test");
    faults.tear_writes(block);
    let ledger = Ledger::default();
    for life in 0..3 {
        let store = sys.spawn(Store::new(&ledger));
        store.tell(Put(life * 10 + 1));
        store.tell(Put(life * 10 + 2));
        if sys.choose_bool() {
            store.tell(Compact);
        }
        store.tell(Put(life * 10 + 3));
        if life < 2 {
            // Any step of the store may come before this.
            store.kill();
            store.stopped().await;
            // Otherwise only the store has crashed, and the page cache survives.
            if sys.choose_bool() {
                faults.fail_power();
            }
        }
    }
}

/// A failing sync may drop its data: the data can still be read, and the next sync reports no error.
#[test]
fn what_is_recovered_after_a_failed_sync_is_on_the_disk() {
    portfolio(500)
        .faults(FaultBudgets::none().with(FaultKind::Disk, 1))
        .run(|sys| async move {
            let disk = sys.disk();
            let Ok(recovered) = Journal::recover(&disk, "journal").await else {
                return;
            };
            let appended = recovered.journal.append("a");
            assert_eq!(appended, Ok(0));
            let _ = recovered.journal.sync().await;
            let Ok(recovered) = Journal::recover(&disk, "journal").await else {
                return;
            };
            disk.faults().expect("under test").fail_power();
            if let Ok(after) = Journal::recover(&disk, "journal").await {
                assert_eq!(after.records, recovered.records);
            }
        })
        .assert_clean();
}

fn portfolio(iterations: u64) -> Tester {
    let tester = Tester::new().iterations(iterations);
    tester.search(Search::Portfolio)
}

/// The same on a node that crashes and restarts.
fn on_a_node(sys: &System, keeps_disk: bool) {
    let ledger = Ledger::default();
    sys.node("n1", move |node| {
        if let Some(faults) = node.disk().faults() {
            faults.tear_writes(8);
        }
        let store = node.spawn(Store::new(&ledger));
        for value in [1, 2] {
            store.tell(Put(value));
        }
        store.tell(Compact);
        store.tell(Put(3));
    });
    for _ in 0..2 {
        match keeps_disk {
            true => sys.faults().restart("n1"),
            false => sys.faults().restart_without_disk("n1"),
        }
    }
}

#[test]
fn what_a_journal_has_synced_survives_restarts_of_its_node() {
    let report = portfolio(1_000).run(|sys| on_a_node(&sys, true));
    report.assert_clean();
}

#[test]
fn a_node_without_its_disk_has_lost_everything() {
    let report = portfolio(1_000).run(|sys| on_a_node(&sys, false));
    let bugs = report.bugs();
    assert!(bugs.iter().any(|bug| bug.message().contains("not []")));
}

fn explore(iterations: u64, block: u32, failing_calls: u16) {
    portfolio(iterations)
        .faults(FaultBudgets::none().with(FaultKind::Disk, failing_calls))
        .run(move |sys| three_lives(sys, block))
        .assert_clean();
}

#[test]
fn what_a_journal_has_synced_survives_crashes_at_any_moment() {
    for (block, failing_calls) in [(0, 0), (8, 0), (8, 2)] {
        explore(1_000, block, failing_calls);
    }
}

#[test]
#[ignore = "takes minutes: for .ci/long"]
fn what_a_journal_has_synced_survives_many_crashes() {
    for block in [0, 1, 8, 512] {
        for failing_calls in [0, 2] {
            explore(100_000, block, failing_calls);
        }
    }
}
