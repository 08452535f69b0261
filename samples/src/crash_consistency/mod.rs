//! Crash consistency: four ways to lose durable data, each with its fix. The
//! storages use [`actor_core::fs`], on a disk that may lose everything not synced.
//!
//! A [`Storage`] keeps texts in order. The [`Shelf`] confirms a text
//! as safe once the storage has returned. After a power failure, all
//! confirmed texts must be there, and nothing that was never put.

mod append_without_sync;
mod count_before_record;
mod no_checksum;
mod rename_without_sync;
mod tests;

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex};

use actor_core::fs::Disk;
use actor_core::prelude::*;

/// Keeps texts in order.
trait Storage: Send + Sized + 'static {
    /// Opens the storage, and returns the texts that survived the last crash.
    fn open(disk: Disk) -> impl Future<Output = io::Result<(Self, Vec<String>)>> + Send;
    /// Adds a text, which is durable when this returns.
    fn put(&mut self, text: &str) -> impl Future<Output = io::Result<()>> + Send;
}

/// The texts that were put, and the number of them that were confirmed.
#[derive(Clone, Debug, Default)]
struct Promises(Arc<Mutex<(Vec<String>, usize)>>);

impl Promises {
    fn put(&self, text: &str) {
        self.0.lock().unwrap().0.push(text.into());
    }

    fn keep(&self) {
        let mut promises = self.0.lock().unwrap();
        promises.1 = promises.0.len();
    }

    /// Checks the texts found after a crash: only texts that were not confirmed may be missing.
    fn judge(&self, found: &[String]) {
        let mut promises = self.0.lock().unwrap();
        let (put, safe) = &*promises;
        assert!(
            put.starts_with(found) && found.len() >= *safe,
            "{:?} are safe, and {found:?} is found",
            &put[..*safe]
        );
        *promises = (found.to_vec(), found.len());
    }
}

#[derive(Debug)]
struct Put(&'static str);

// ANCHOR: shelf
/// Confirms each text when the storage has stored it.
struct Shelf<S: Storage> {
    promises: Promises,
    storage: Option<S>,
}

#[actor]
impl<S: Storage> Shelf<S> {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) -> io::Result<()> {
        let (storage, found) = S::open(cx.disk()).await?;
        self.promises.judge(&found);
        self.storage = Some(storage);
        Ok(())
    }

    #[on]
    async fn put(&mut self, put: Put) -> io::Result<()> {
        self.promises.put(put.0);
        if let Some(storage) = &mut self.storage {
            storage.put(put.0).await?;
        }
        self.promises.keep();
        Ok(())
    }
}
// ANCHOR_END: shelf

// ANCHOR: crashes
/// Lets the power fail at any moment after the first text, and checks the texts found afterwards.
async fn crashes<S: Storage>(sys: &System, block: u32) {
    let disk = sys.disk();
    let faults = disk.faults().expect("the tester's disk can fail");
    faults.tear_writes(block);
    let promises = Promises::default();
    for [first, second] in [
        ["the first one", "the second one"],
        ["the third", "the fourth"],
    ] {
        let shelf = sys.spawn(Shelf::<S> {
            promises: promises.clone(),
            storage: None,
        });
        let _ = shelf.ask(Put(first)).await;
        shelf.tell(Put(second));
        shelf.kill();
        shelf.stopped().await;
        faults.fail_power();
    }
}
// ANCHOR_END: crashes
