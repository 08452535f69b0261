//! Checkpoints: a long search can resume after its process has ended for any reason.
//!
//! Between executions, the state of the exploration is written to a [file] if its [strategy can be
//! saved](crate::strategy::Strategy::save). The time of a checkpoint depends on the clock; nothing else
//! does, and writing one does not change the search. A resumed search ends with the same result as an
//! uninterrupted one.

mod error;
mod file;
mod shards;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::engine::Observations;
use crate::exploring::checkpoint::file::{CheckpointHeader, read, write};
use crate::exploring::confirmation::JudgeState;
use crate::exploring::summary::Summary;
use crate::report::data::CheckpointInfo;
use crate::settings::Settings;
use crate::trace;

pub(crate) use error::CheckpointError;
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

/// The writer of one exploration's checkpoints.
pub(crate) struct CheckpointWriter {
    path: PathBuf,
    header: CheckpointHeader,
    /// The earliest time of the next checkpoint.
    due: Option<Instant>,
    /// The number of executions in the last checkpoint.
    executions: Option<u64>,
    problem: Option<String>,
    shard: Option<Shard>,
}

/// Returns the path of a test's checkpoint; shards have a directory of their own.
fn path(name: &str, directory: &Path, settings: &Settings) -> PathBuf {
    let package = trace::own_package();
    let slug = trace::slug(package.as_deref(), name);
    match settings.shard {
        None => directory.join(format!("{slug}.checkpoint")),
        Some(_) => directory.join(format!("{slug}.shards")).join("checkpoint"),
    }
}

/// Returns true if the exploration resumes from a checkpoint. A restarted shard resumes if there is one.
fn resumes(path: &Path, settings: &Settings) -> bool {
    match settings.shard {
        None => settings.resume,
        Some(_) => path.exists(),
    }
}

/// Checks that a test can resume, if the settings ask for it.
///
/// # Errors
///
/// Returns the reason why it can't.
pub(crate) fn check(name: &str, settings: &Settings) -> Result<(), CheckpointError> {
    let Some(directory) = &settings.checkpoint else {
        return Ok(());
    };
    let path = path(name, directory, settings);
    let header = CheckpointHeader::of(name, settings)?;
    if resumes(&path, settings) {
        resumed(&path, &header)?;
    }
    join(&path, &header, settings).map(drop)
}

fn resumed(
    path: &Path,
    header: &CheckpointHeader,
) -> Result<InterruptedExploration, CheckpointError> {
    let (known, search) = read(path, header)?;
    Ok(InterruptedExploration { known, search })
}

/// Joins the other shards, if there are any.
fn join(
    path: &Path,
    header: &CheckpointHeader,
    settings: &Settings,
) -> Result<Option<Shard>, CheckpointError> {
    let directory = path.parent().unwrap_or(path);
    let joined = settings
        .shard
        .map(|which| Shard::join(directory.to_owned(), header.clone(), which));
    joined.transpose()
}

impl CheckpointWriter {
    /// Opens the checkpoints of a test, if the settings ask for them, and reads the state to resume from.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings ask to resume, but no usable checkpoint exists.
    pub(crate) fn of(
        name: &str,
        settings: &Settings,
    ) -> Result<Option<(Self, Option<InterruptedExploration>)>, CheckpointError> {
        let Some(directory) = &settings.checkpoint else {
            return Ok(None);
        };
        let path = path(name, directory, settings);
        let header = CheckpointHeader::of(name, settings)?;
        let keeper = Self {
            shard: join(&path, &header, settings)?,
            path,
            header,
            due: None,
            executions: None,
            problem: None,
        };
        let resumed = match resumes(&keeper.path, settings) {
            true => Some(resumed(&keeper.path, &keeper.header)?),
            false => None,
        };
        Ok(Some((keeper, resumed)))
    }

    pub(crate) fn shard(&self) -> Option<&Shard> {
        self.shard.as_ref()
    }

    /// Returns true if this process writes checkpoints.
    pub(crate) fn keeps(&self) -> bool {
        self.shard.as_ref().is_none_or(Shard::keeps)
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
        match write(&self.path, &self.header, known, search) {
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
        if is_over {
            // The file may not exist, or a partial one may be left from an earlier process.
            let _ = std::fs::remove_file(&self.path);
            let _ = std::fs::remove_file(file::partial(&self.path));
        }
        let is_left = !is_over && (self.executions.is_some() || self.path.is_file());
        (is_left || self.problem.is_some()).then_some(CheckpointInfo {
            path: self.path,
            executions: self.executions.filter(|_| !is_over),
            problem: self.problem,
        })
    }
}
