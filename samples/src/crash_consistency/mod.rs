//! Four ways to lose what was said to be safe, each with the repair: small storages on
//! [`actor_core::fs`], under a disk that may lose what was not synced.
//!
//! A [`Storage`] keeps texts in order. The [`Shelf`] says that a text is safe once the storage has
//! returned; after a power failure all that was said to be safe must be there, and nothing that was
//! never put.

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
    /// What there is after the last crash.
    fn open(disk: Disk) -> impl Future<Output = io::Result<(Self, Vec<String>)>> + Send;
    /// Adds a text, which is safe afterwards.
    fn put(&mut self, text: &str) -> impl Future<Output = io::Result<()>> + Send;
}

/// What was put, and how much of it is said to be safe.
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

    /// After a crash: what was put last may be there or not, and all before it is.
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
/// Says of each text that it is safe, when the storage says so.
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
/// The power fails at any moment after the first text, and what is found afterwards is judged.
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
        sys.kill(&shelf);
        shelf.stopped().await;
        faults.fail_power();
    }
}
// ANCHOR_END: crashes
