//! Checkpoints: a long search can go on after its process has ended, whatever ended it.
//!
//! Between executions, where its [strategy can be saved](crate::strategy::Strategy::save), all that an
//! exploration knows is written to a [file]. When that happens depends on the clock, and nothing else
//! does: what is written changes nothing of the search. A search that goes on from there ends as it
//! would have ended.

mod error;
mod file;
mod shards;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::engine::Observations;
use crate::exploring::checkpoint::file::{Header, read, write};
use crate::exploring::confirmation::Judged;
use crate::exploring::summary::Summary;
use crate::report::facts::Kept;
use crate::settings::Settings;
use crate::trace;

pub(crate) use error::CheckpointError;
pub(crate) use shards::{Done, Found, Shard};

/// Of the time, one part in so many may be spent on checkpoints.
const SHARE: u32 = 50;

/// What an exploration knows, beside what its strategy does.
#[derive(Serialize, Deserialize)]
pub(crate) struct Known<S, J, O> {
    pub(crate) summary: S,
    /// For how long it has run.
    pub(crate) elapsed: Duration,
    pub(crate) judged: J,
    pub(crate) observed: O,
    /// How many rounds of parts there were.
    pub(crate) rounds: u64,
}

/// An exploration that was interrupted.
pub(crate) struct Resumed {
    pub(crate) known: Known<Summary, Judged, Observations>,
    /// What its strategy goes on from.
    pub(crate) search: Vec<u8>,
}

/// Writes the checkpoints of one exploration.
pub(crate) struct Keeper {
    path: PathBuf,
    header: Header,
    /// When the next one may be written.
    due: Option<Instant>,
    /// How many executions the last one has.
    executions: Option<u64>,
    problem: Option<String>,
    shard: Option<Shard>,
}

/// Where the checkpoint of a test lies, which shards have in a directory of their own.
fn path(name: &str, directory: &Path, settings: &Settings) -> PathBuf {
    let package = trace::own_package();
    let slug = trace::slug(package.as_deref(), name);
    match settings.shard {
        None => directory.join(format!("{slug}.checkpoint")),
        Some(_) => directory.join(format!("{slug}.shards")).join("checkpoint"),
    }
}

/// Whether there is to be something to go on with. Shards go on with what there is: one of them may
/// have been started again.
fn resumes(path: &Path, settings: &Settings) -> bool {
    match settings.shard {
        None => settings.resume,
        Some(_) => path.exists(),
    }
}

/// Whether a test can go on where it was interrupted, if that is wanted.
///
/// # Errors
///
/// Says why not.
pub(crate) fn check(name: &str, settings: &Settings) -> Result<(), CheckpointError> {
    let Some(directory) = &settings.checkpoint else {
        return Ok(());
    };
    let path = path(name, directory, settings);
    let header = Header::of(name, settings)?;
    if resumes(&path, settings) {
        resumed(&path, &header)?;
    }
    join(&path, &header, settings).map(drop)
}

fn resumed(path: &Path, header: &Header) -> Result<Resumed, CheckpointError> {
    let (known, search) = read(path, header)?;
    Ok(Resumed { known, search })
}

/// Joins the other shards, where there are any.
fn join(
    path: &Path,
    header: &Header,
    settings: &Settings,
) -> Result<Option<Shard>, CheckpointError> {
    let directory = path.parent().unwrap_or(path);
    let joined = settings
        .shard
        .map(|which| Shard::join(directory.to_owned(), header.clone(), which));
    joined.transpose()
}

impl Keeper {
    /// Keeps the checkpoints of a test, where that is wanted; with what is to be gone on with, if
    /// anything.
    ///
    /// # Errors
    ///
    /// Where there is nothing that it could go on with, though that is wanted.
    pub(crate) fn of(
        name: &str,
        settings: &Settings,
    ) -> Result<Option<(Self, Option<Resumed>)>, CheckpointError> {
        let Some(directory) = &settings.checkpoint else {
            return Ok(None);
        };
        let path = path(name, directory, settings);
        let header = Header::of(name, settings)?;
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

    /// Which of several processes this is that explore the search together.
    pub(crate) fn shard(&self) -> Option<&Shard> {
        self.shard.as_ref()
    }

    /// It is this process that writes checkpoints.
    pub(crate) fn keeps(&self) -> bool {
        self.shard.as_ref().is_none_or(Shard::keeps)
    }

    /// The next checkpoint may be written, as far as time goes.
    pub(crate) fn is_due(&self) -> bool {
        self.keeps() && self.due.is_none_or(|due| crate::wall_clock::now() >= due)
    }

    /// Writes a checkpoint. Where that fails, the last one stays, and it is told in the end.
    pub(crate) fn keep(
        &mut self,
        known: &Known<&Summary, &Judged, &Observations>,
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

    /// The exploration has ended; if nothing is left to be done, so has the use of its checkpoint.
    pub(crate) fn finish(self, is_over: bool) -> Option<Kept> {
        if self.shard.is_some() {
            // The others may need what there is.
            return None;
        }
        if is_over {
            // There may be none, or one that was being written when the process ended before.
            let _ = std::fs::remove_file(&self.path);
            let _ = std::fs::remove_file(file::partial(&self.path));
        }
        let is_left = !is_over && (self.executions.is_some() || self.path.is_file());
        (is_left || self.problem.is_some()).then_some(Kept {
            path: self.path,
            executions: self.executions.filter(|_| !is_over),
            problem: self.problem,
        })
    }
}
