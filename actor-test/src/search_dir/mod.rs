//! Records of the processes of a search: `part-K-of-N` in the directory of a test.
//!
//! A process writes its record when it begins, so that a process of another build, with other settings or of
//! another number of parts is refused. The result of the process is added when it has one. Each part has a
//! file name of its own, so the directories of several machines can be copied into one.

mod error;
mod file;

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::report::data::Report;
use crate::settings::{Partition, Settings};
use crate::trace;

pub(crate) use error::CheckpointError;
use file::{CheckpointHeader, read_any};
pub(crate) use file::{partial, read, write};

/// The place of a process in the search of one test.
#[derive(Clone)]
pub(crate) struct SearchPlace {
    /// The directory of the test.
    pub(crate) directory: PathBuf,
    pub(crate) header: CheckpointHeader,
    /// The part of this process; a search that is not divided is the first part of one.
    pub(crate) part: Partition,
}

impl SearchPlace {
    /// Returns the place in the search directory, if the settings have one.
    pub(crate) fn of(name: &str, settings: &Settings) -> Result<Option<Self>, CheckpointError> {
        let Some(directory) = &settings.search_dir else {
            return Ok(None);
        };
        let package = trace::own_package();
        Ok(Some(Self {
            directory: directory.join(trace::slug(package.as_deref(), name)),
            header: CheckpointHeader::of(name, settings)?,
            part: settings.partition.unwrap_or_default(),
        }))
    }
}

/// The document of a record.
#[derive(Serialize, Deserialize)]
struct PartRecord {
    /// The result, once the part has ended.
    ended: Option<EndedPart>,
}

/// The result of a part, or of a search that is not divided.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EndedPart {
    /// The package of the test.
    pub package: String,
    /// The bug that the test is expected to have.
    pub expect_bug: Option<String>,
    /// The report of the part, or of the whole search.
    pub report: Report,
}

/// The search of one test, as its directory holds it.
#[derive(Debug)]
pub struct RecordedSearch {
    /// The name of the test.
    pub test: String,
    /// The directory of the test.
    pub directory: PathBuf,
    /// The parts that have ended.
    pub ended: Vec<EndedPart>,
}

impl SearchPlace {
    pub(crate) fn record(&self) -> PathBuf {
        let (number, of) = (self.part.number(), self.part.of());
        self.directory.join(format!("part-{number}-of-{of}"))
    }

    pub(crate) fn write_record(&self, ended: Option<EndedPart>) -> Result<(), CheckpointError> {
        let path = self.record();
        write(&path, &self.header, &PartRecord { ended }, &[])
            .map_err(|error| CheckpointError::Unwritable { path, error })
    }

    /// Joins the search, after a check that all processes with a record run the same search. Returns the
    /// result of this process, if it has ended before.
    pub(crate) fn join(&self) -> Result<Option<EndedPart>, CheckpointError> {
        let own = self.record();
        // The record precedes the check, so that of two processes that begin at once, one sees the other.
        let is_new = !own.exists();
        if is_new {
            self.write_record(None)?;
        }
        let checked = self.check_records();
        if is_new && checked.is_err() {
            let _ = fs::remove_file(&own);
        }
        checked?;
        let (record, _): (PartRecord, _) = read(&own, &self.header)?;
        Ok(record.ended)
    }

    fn check_records(&self) -> Result<(), CheckpointError> {
        for (path, part) in records(&self.directory) {
            let _: (serde::de::IgnoredAny, _) = read(&path, &self.header)?;
            if part.of() != self.part.of() {
                return Err(CheckpointError::OtherSettings {
                    path,
                    what: "the number of parts",
                    found: format!("`{}`", part.of()),
                    expected: format!("`{}`", self.part.of()),
                });
            }
        }
        Ok(())
    }
}

/// Returns the records in the directory of a test, in the order of their paths.
fn records(directory: &Path) -> Vec<(PathBuf, Partition)> {
    let files = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut records: Vec<_> = files
        .filter_map(|file| Some((file.path(), partition_of(&file.path())?)))
        .collect();
    records.sort_by(|(one, _), (other, _)| one.cmp(other));
    records
}

/// Returns the partition in the name of a record.
fn partition_of(path: &Path) -> Option<Partition> {
    let name = path.file_name()?.to_str()?.strip_prefix("part-")?;
    name.replacen("-of-", "/", 1).parse().ok()
}

/// Reads the records of all tests in a search directory, or in a directory one or two levels above the
/// records.
///
/// # Errors
///
/// Returns the reason why a record can't be read.
pub fn read_search_dir(directory: &Path) -> Result<Vec<RecordedSearch>, String> {
    let mut searches = Vec::new();
    collect(directory, 2, &mut searches).map_err(|error| error.to_string())?;
    Ok(searches)
}

fn collect(
    directory: &Path,
    levels: u32,
    searches: &mut Vec<RecordedSearch>,
) -> Result<(), CheckpointError> {
    let mut test = None;
    let mut ended = Vec::new();
    for (path, _) in records(directory) {
        let (header, record): (_, PartRecord) = read_any(&path)?;
        test = Some(header.test);
        ended.extend(record.ended);
    }
    if let Some(test) = test {
        searches.push(RecordedSearch {
            test,
            directory: directory.into(),
            ended,
        });
    }
    if levels == 0 {
        return Ok(());
    }
    let entries = fs::read_dir(directory).map_err(|error| CheckpointError::Unreadable {
        path: directory.into(),
        error,
    })?;
    let mut below: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    below.retain(|path| path.is_dir());
    below.sort();
    for directory in below {
        collect(&directory, levels - 1, searches)?;
    }
    Ok(())
}
