//! Shards: several processes, on any machines, explore one search together.
//!
//! Each runs the same search. Of the parts of a round it explores those that are its own, writes what
//! became of each into a directory that all share, and reads what became of the others. So all know the
//! same after each round, divide what is left in the same way, and end with the same result.
//!
//! What a part becomes depends on the program, the settings and the rounds before, and on nothing else. So
//! it does not matter who has written a file, or when: one that starts again goes on with what is there.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Observations;
use crate::exploring::checkpoint::CheckpointError;
use crate::exploring::checkpoint::file::{Header, read, write};
use crate::exploring::explorer::Contribution;
use crate::settings::Partition;

/// How often it is looked whether another shard has explored a part.
const LOOK: Duration = Duration::from_millis(5);

/// What became of a part, beside what its strategy knows.
#[derive(Serialize, Deserialize)]
pub(crate) struct Done<C, O> {
    pub(crate) contributions: C,
    pub(crate) observed: O,
}

/// A part that was explored by whichever shard.
pub(crate) struct Found {
    pub(crate) done: Done<Vec<Contribution>, Observations>,
    /// What its strategy has become, where anybody needs that.
    pub(crate) saved: Vec<u8>,
}

/// One of the processes that explore a search together.
#[derive(Clone)]
pub(crate) struct Shard {
    directory: PathBuf,
    header: Header,
    which: Partition,
}

impl Shard {
    /// Joins the others, who are of the same search.
    pub(super) fn join(
        directory: PathBuf,
        header: Header,
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

    /// It is this one that explores the part of that number in a round.
    pub(crate) fn owns(&self, part: usize) -> bool {
        part as u64 % self.which.of() + 1 == self.which.number()
    }

    /// It is the one that writes checkpoints for all.
    pub(super) fn keeps(&self) -> bool {
        self.which.number() == 1
    }

    fn path(&self, round: u64, part: usize) -> PathBuf {
        self.directory.join(format!("round-{round}-part-{part}"))
    }

    /// Tells the others what has become of a part. Where that fails, they wait: who starts it again may
    /// have mended it.
    pub(crate) fn tell(
        &self,
        round: u64,
        part: usize,
        done: &Done<&[Contribution], &Observations>,
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

    /// What has become of a part, if anybody has told.
    pub(crate) fn find(&self, round: u64, part: usize) -> Option<Found> {
        let path = self.path(round, part);
        if !path.exists() {
            return None;
        }
        let (done, saved) = read(&path, &self.header).unwrap_or_else(|error| panic!("{error}"));
        Some(Found { done, saved })
    }

    /// Waits for what becomes of a part, as long as that is wanted.
    pub(crate) fn wait(
        &self,
        round: u64,
        part: usize,
        goes_on: impl Fn() -> bool,
    ) -> Option<Found> {
        loop {
            if let Some(found) = self.find(round, part) {
                return Some(found);
            }
            if !goes_on() {
                return None;
            }
            thread::sleep(LOOK);
        }
    }

    /// There is a checkpoint from which round that one begins. Who takes part in it has read what became
    /// of the last but one before it.
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

/// Of which round a file is.
fn round_of(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    let (round, _) = name.strip_prefix("round-")?.split_once('-')?;
    round.parse().ok()
}
