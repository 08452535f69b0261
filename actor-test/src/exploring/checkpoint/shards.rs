//! Shards: several processes, on any machines, explore one search together.
//!
//! Each process runs the same search. In every round it explores its own parts, writes their results into a
//! shared directory, and reads the results of the others. So all processes have the same state after each
//! round, divide the rest in the same way, and end with the same result.
//!
//! The result of a part depends only on the program, the settings and the earlier rounds. The writer and
//! the time of a file don't matter, and a restarted process continues with the existing files.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Observations;
use crate::exploring::checkpoint::SearchPlace;
use crate::exploring::contribution::Contribution;
use crate::search_dir::CheckpointError;
use crate::search_dir::{read, write};

/// The interval between checks for the result of another shard.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The result of a part, without the state of its strategy.
#[derive(Serialize, Deserialize)]
pub(crate) struct PartResult<C, O> {
    pub(crate) contributions: C,
    pub(crate) observed: O,
}

/// The result of a part that some shard has explored.
pub(crate) struct StoredPart {
    pub(crate) done: PartResult<Vec<Contribution>, Observations>,
    /// The saved state of the strategy, or empty if no process needs it.
    pub(crate) saved: Vec<u8>,
}

/// One of the processes that explore a search together.
#[derive(Clone)]
pub(crate) struct Shard(SearchPlace);

impl Shard {
    /// Joins the other shards, after a check that they run the same search.
    pub(super) fn join(place: SearchPlace) -> Result<Self, CheckpointError> {
        place.join()?;
        Ok(Self(place))
    }

    /// Returns true if this shard explores the part with that number.
    pub(crate) fn owns(&self, part: usize) -> bool {
        part as u64 % self.0.part.of() + 1 == self.0.part.number()
    }

    fn path(&self, round: u64, part: usize) -> PathBuf {
        self.0.directory.join(format!("round-{round}-part-{part}"))
    }

    /// Publishes the result of a part. A failure ends the process; the others wait until it is restarted.
    pub(crate) fn publish(
        &self,
        round: u64,
        part: usize,
        done: &PartResult<&[Contribution], &Observations>,
        saved: &[u8],
    ) {
        let path = self.path(round, part);
        write(&path, &self.0.header, done, saved).unwrap_or_else(|error| {
            panic!(
                "can't tell the other shards, in {}: {error}",
                path.display()
            )
        });
    }

    /// Reads the result of a part, if a shard has published it.
    pub(crate) fn find(&self, round: u64, part: usize) -> Option<StoredPart> {
        let path = self.path(round, part);
        if !path.exists() {
            return None;
        }
        let (done, saved) = read(&path, &self.0.header).unwrap_or_else(|error| panic!("{error}"));
        Some(StoredPart { done, saved })
    }

    /// Waits for the result of a part while `goes_on` returns true.
    pub(crate) fn wait(
        &self,
        round: u64,
        part: usize,
        goes_on: impl Fn() -> bool,
    ) -> Option<StoredPart> {
        loop {
            if let Some(found) = self.find(round, part) {
                return Some(found);
            }
            if !goes_on() {
                return None;
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Removes the files that no shard needs after a checkpoint at the start of a round. A shard in that
    /// round has read all results up to the last round but one.
    pub(super) fn forget_before(&self, round: u64) {
        let Ok(files) = fs::read_dir(&self.0.directory) else {
            return;
        };
        for path in files.flatten().map(|file| file.path()) {
            if round_of(&path).is_some_and(|of| of + 1 < round) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Returns the round to which a file belongs.
fn round_of(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    let (round, _) = name.strip_prefix("round-")?.split_once('-')?;
    round.parse().ok()
}
