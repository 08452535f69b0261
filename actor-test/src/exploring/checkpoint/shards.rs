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
use crate::exploring::checkpoint::CheckpointError;
use crate::exploring::checkpoint::file::{CheckpointHeader, read, write};
use crate::exploring::explorer::Contribution;
use crate::settings::Partition;

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
pub(crate) struct Shard {
    directory: PathBuf,
    header: CheckpointHeader,
    which: Partition,
}

impl Shard {
    /// Joins the other shards, after a check that they run the same search.
    pub(super) fn join(
        directory: PathBuf,
        header: CheckpointHeader,
        which: Partition,
    ) -> Result<Self, CheckpointError> {
        let shard = Self {
            directory,
            header,
            which,
        };
        let own = shard.directory.join(format!("shard-{}", which.number()));
        let refused = |error: std::io::Error| CheckpointError::Unreadable {
            path: own.display().to_string(),
            error: error.to_string(),
        };
        write(&own, &shard.header, &which, &[]).map_err(refused)?;
        for number in 1..=which.of() {
            let other = shard.directory.join(format!("shard-{number}"));
            if !other.exists() {
                continue;
            }
            let (there, _): (Partition, _) = read(&other, &shard.header)?;
            if there.of() != which.of() {
                return Err(CheckpointError::OtherSettings {
                    path: other.display().to_string(),
                    what: "the number of shards",
                    found: format!("`{}`", there.of()),
                    expected: format!("`{}`", which.of()),
                });
            }
        }
        Ok(shard)
    }

    /// Returns true if this shard explores the part with that number.
    pub(crate) fn owns(&self, part: usize) -> bool {
        part as u64 % self.which.of() + 1 == self.which.number()
    }

    /// Returns true if this shard writes the checkpoints for all.
    pub(super) fn keeps(&self) -> bool {
        self.which.number() == 1
    }

    fn path(&self, round: u64, part: usize) -> PathBuf {
        self.directory.join(format!("round-{round}-part-{part}"))
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
        write(&path, &self.header, done, saved).unwrap_or_else(|error| {
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
        let (done, saved) = read(&path, &self.header).unwrap_or_else(|error| panic!("{error}"));
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
        let Ok(files) = fs::read_dir(&self.directory) else {
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
