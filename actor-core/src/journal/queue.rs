//! Group commit of a journal: the [`Queue`] of records to be written, and of callers that wait for a sync.
//!
//! A caller that wants a sync while nobody writes takes all waiting records, and writes them, also for
//! others. There is no task and no delay: the next batch accumulates during a sync.

use std::future::poll_fn;
use std::hash::Hasher;
use std::sync::{Mutex, MutexGuard};
use std::task::{Poll, Waker};

use super::format::push_record;
use super::{JournalError, JournalWriter, UNSYNCED_BYTES_MAX};
use crate::fingerprint::Fingerprinter;
use crate::panics::lock;

pub(super) struct Queue(Mutex<QueueState>);

struct QueueState {
    batch: Batch,
    /// The number of appends and snapshots so far, and up to which of them everything is durable.
    requests: u64,
    safe: u64,
    /// The error that has ended the journal.
    failed: Option<JournalError>,
    /// `None` while a caller writes.
    tail: Option<JournalWriter>,
    /// True if the last writer was dropped in the middle of its work.
    interrupted: bool,
    waiting: Vec<Waker>,
}

#[derive(Default)]
pub(super) struct Batch {
    /// The snapshot that replaces all records before the first of the batch.
    pub(super) snapshot: Option<Vec<u8>>,
    /// The number of the first record, how many there are, and their bytes.
    pub(super) first: u64,
    pub(super) records: u32,
    pub(super) body: Vec<u8>,
}

impl Batch {
    fn next(&self) -> u64 {
        self.first + u64::from(self.records)
    }

    fn prepend(&mut self, mut earlier: Batch) {
        if self.snapshot.is_some() {
            // The snapshot includes everything that came before.
            return;
        }
        earlier.body.append(&mut self.body);
        earlier.records += self.records;
        *self = earlier;
    }
}

impl Queue {
    pub(super) fn new(next: u64, tail: JournalWriter) -> Self {
        let batch = Batch {
            first: next,
            ..Batch::default()
        };
        Self(Mutex::new(QueueState {
            batch,
            requests: 0,
            safe: 0,
            failed: None,
            tail: Some(tail),
            interrupted: false,
            waiting: Vec::new(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        lock(&self.0)
    }

    /// As `lock`, but fails once the journal has failed.
    fn open(&self) -> Result<MutexGuard<'_, QueueState>, JournalError> {
        let state = self.lock();
        match &state.failed {
            Some(error) => Err(error.clone()),
            None => Ok(state),
        }
    }

    pub(super) fn append(&self, record: &[u8], file: &str) -> Result<u64, JournalError> {
        let mut state = self.open()?;
        if state.batch.body.len() + record.len() > UNSYNCED_BYTES_MAX {
            return Err(JournalError::Full { file: file.into() });
        }
        let number = state.batch.next();
        push_record(&mut state.batch.body, record);
        state.batch.records += 1;
        state.requests += 1;
        Ok(number)
    }

    pub(super) fn snapshot(&self, bytes: Vec<u8>) -> Result<(), JournalError> {
        let mut state = self.open()?;
        state.batch = Batch {
            snapshot: Some(bytes),
            first: state.batch.next(),
            ..Batch::default()
        };
        state.requests += 1;
        Ok(())
    }

    pub(super) fn next(&self) -> u64 {
        self.lock().batch.next()
    }

    pub(super) fn asked(&self) -> u64 {
        self.lock().requests
    }

    /// Waits until the first `until` requests are durable, or it is the caller's turn to write.
    pub(super) async fn wait_for_turn(&self, until: u64) -> SyncTurn<'_> {
        poll_fn(|task| {
            let mut state = self.lock();
            if state.safe >= until {
                return Poll::Ready(SyncTurn::Over(Ok(())));
            }
            if let Some(error) = &state.failed {
                return Poll::Ready(SyncTurn::Over(Err(error.clone())));
            }
            let Some(tail) = state.tail.take() else {
                if !state
                    .waiting
                    .iter()
                    .any(|waker| waker.will_wake(task.waker()))
                {
                    state.waiting.push(task.waker().clone());
                }
                return Poll::Pending;
            };
            let next = state.batch.next();
            let batch = std::mem::take(&mut state.batch);
            state.batch.first = next;
            Poll::Ready(SyncTurn::Work(WriteJob {
                queue: self,
                batch,
                until: state.requests,
                tail: Some(tail),
                interrupted: state.interrupted,
            }))
        })
        .await
    }

    fn end(&self, f: impl FnOnce(&mut QueueState)) {
        let waiting = {
            let mut state = self.lock();
            f(&mut state);
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    pub(super) fn fingerprint(&self, to: &mut Fingerprinter) {
        let state = self.lock();
        let batch = &state.batch;
        to.write_u64(batch.next());
        to.write_u64(state.requests - state.safe);
        to.write(&batch.body);
        to.write(batch.snapshot.as_deref().unwrap_or_default());
        to.write_u8(u8::from(state.failed.is_some()) | u8::from(state.tail.is_none()) << 1);
    }
}

pub(super) enum SyncTurn<'a> {
    Over(Result<(), JournalError>),
    /// The caller must write the waiting records.
    Work(WriteJob<'a>),
}

/// A batch that a caller writes. If the job is dropped before it is done, the batch goes back to the queue.
pub(super) struct WriteJob<'a> {
    queue: &'a Queue,
    pub(super) batch: Batch,
    /// The number of requests that are durable when the job is done.
    until: u64,
    /// `None` once the job is done.
    tail: Option<JournalWriter>,
    pub(super) interrupted: bool,
}

impl WriteJob<'_> {
    /// Returns the end of the file, at which the batch is written.
    pub(super) fn tail(&mut self) -> &mut JournalWriter {
        self.tail.as_mut().expect("a job that is not done")
    }

    /// Ends the job, or ends the journal with an error.
    pub(super) fn done(mut self, result: Result<(), JournalError>) {
        let tail = self.tail.take();
        self.queue.end(|state| {
            state.tail = tail;
            state.interrupted = false;
            match result {
                Ok(()) => state.safe = self.until,
                Err(error) => state.failed = Some(error),
            }
        });
    }
}

impl Drop for WriteJob<'_> {
    fn drop(&mut self) {
        let Some(tail) = self.tail.take() else {
            return;
        };
        let batch = std::mem::take(&mut self.batch);
        self.queue.end(|state| {
            state.tail = Some(tail);
            state.interrupted = true;
            state.batch.prepend(batch);
        });
    }
}
