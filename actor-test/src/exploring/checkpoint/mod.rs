//! The directory of a search: with it, a search goes on after its process has ended for any reason.
//!
//! Each test has a directory of its own, with files of three kinds:
//!
//! - `part-K-of-N`, a [record](record) for each process: the search to which it belongs, and its result.
//! - `search.checkpoint`: the state of a search whose [strategy can be
//!   saved](crate::strategy::SearchStrategy::save), as it was between two executions.
//! - `round-R-part-P`: results that the [processes of one search](shards) exchange.
//!
//! The time of a checkpoint depends on the clock; nothing else does, and writing one does not change the
//! search. A resumed search ends with the same result as an uninterrupted one.

mod record;
mod shards;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::engine::Observations;
use crate::exploring::confirmation::JudgeState;
use crate::exploring::summary::Summary;
use crate::report::data::CheckpointInfo;
use crate::search_dir::{CheckpointError, SearchPlace, partial, read, write};
use crate::settings::Settings;

pub(crate) use record::{join, store};
pub(crate) use shards::{PartResult, Shard, StoredPart};

/// Checkpoints may take one part in this many of the time.
const SHARE: u32 = 50;

/// The state of an exploration, without that of its strategy.
#[derive(Serialize, Deserialize)]
pub(crate) struct ExplorationState<S, J, O> {
    pub(crate) summary: S,
    pub(crate) elapsed: Duration,
    pub(crate) judged: J,
    pub(crate) observed: O,
    /// The number of finished rounds of parts.
    pub(crate) rounds: u64,
}

/// The state of an interrupted exploration.
pub(crate) struct InterruptedExploration {
    pub(crate) known: ExplorationState<Summary, JudgeState, Observations>,
    /// The saved state of the strategy.
    pub(crate) search: Vec<u8>,
}

impl SearchPlace {
    fn checkpoint(&self) -> PathBuf {
        self.directory.join("search.checkpoint")
    }

    /// Reads the checkpoint, if there is one.
    fn interrupted(&self) -> Result<Option<InterruptedExploration>, CheckpointError> {
        let path = self.checkpoint();
        if !path.exists() {
            return Ok(None);
        }
        let (known, search) = read(&path, &self.header)?;
        Ok(Some(InterruptedExploration { known, search }))
    }
}

/// The writer of one exploration's checkpoints.
pub(crate) struct CheckpointWriter {
    place: SearchPlace,
    /// The earliest time of the next checkpoint.
    due: Option<Instant>,
    /// The number of executions in the last checkpoint.
    executions: Option<u64>,
    problem: Option<String>,
    shard: Option<Shard>,
}

impl CheckpointWriter {
    /// Opens the checkpoints of a test, if the settings ask for them, and reads the state to resume from.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory holds files that are not of this search, or are damaged.
    pub(crate) fn of(
        name: &str,
        settings: &Settings,
    ) -> Result<Option<(Self, Option<InterruptedExploration>)>, CheckpointError> {
        if settings.sample_part().is_some() {
            return Ok(None);
        }
        let Some(place) = SearchPlace::of(name, settings)? else {
            return Ok(None);
        };
        let joined = settings.shard().map(|_| Shard::join(place.clone()));
        let shard = joined.transpose()?;
        let interrupted = place.interrupted()?;
        let writer = Self {
            place,
            due: None,
            executions: None,
            problem: None,
            shard,
        };
        Ok(Some((writer, interrupted)))
    }

    pub(crate) fn shard(&self) -> Option<&Shard> {
        self.shard.as_ref()
    }

    /// Returns true if this process writes checkpoints.
    pub(crate) fn keeps(&self) -> bool {
        self.place.part.number() == 1
    }

    /// Returns true if it is time for the next checkpoint.
    pub(crate) fn is_due(&self) -> bool {
        self.keeps() && self.due.is_none_or(|due| crate::wall_clock::now() >= due)
    }

    /// Writes a checkpoint. If that fails, the last one stays, and the report shows the error.
    pub(crate) fn keep(
        &mut self,
        known: &ExplorationState<&Summary, &JudgeState, &Observations>,
        search: &[u8],
        begun: Instant,
    ) {
        match write(&self.place.checkpoint(), &self.place.header, known, search) {
            Ok(()) => {
                self.executions = Some(known.summary.executions());
                self.problem = None;
                if let Some(shard) = &self.shard {
                    shard.forget_before(known.rounds);
                }
            }
            Err(error) => self.problem = Some(error.to_string()),
        }
        let now = crate::wall_clock::now();
        self.due = Some(now + (now - begun) * SHARE);
    }

    /// Ends checkpointing; removes the checkpoint if the exploration is complete.
    pub(crate) fn finish(self, is_over: bool) -> Option<CheckpointInfo> {
        if self.shard.is_some() {
            // The other shards may need the files.
            return None;
        }
        let path = self.place.checkpoint();
        if is_over {
            // The file may not exist, or a partial one may be left from an earlier process.
            let _ = std::fs::remove_file(&path);
            let _ = std::fs::remove_file(partial(&path));
        }
        let is_left = !is_over && (self.executions.is_some() || path.is_file());
        (is_left || self.problem.is_some()).then_some(CheckpointInfo {
            path,
            executions: self.executions.filter(|_| !is_over),
            problem: self.problem,
        })
    }
}
