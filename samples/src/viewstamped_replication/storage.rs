//! The durable state of a replica, if the group has a journal.

use actor_core::fs::Disk;
use actor_core::journal::{Journal, JournalError};
use serde::{Deserialize, Serialize};

use super::{Bug, Command, View};

/// A record that must survive a crash; written before the replica announces it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Record {
    /// The replica takes part in the change to a view.
    Joins(View),
    /// The replica enters a view with this log.
    Enters(View, Vec<Command>),
    /// The replica appends the next command to its log.
    Takes(Command),
}

/// The state that survived a crash.
#[derive(Debug, Default)]
pub(super) struct Saved {
    pub(super) view: View,
    pub(super) normal_view: View,
    pub(super) log: Vec<Command>,
}

impl Saved {
    fn apply(&mut self, record: Record) {
        match record {
            Record::Joins(view) => self.view = view,
            Record::Enters(view, log) => {
                self.view = view;
                self.normal_view = view;
                self.log = log;
            }
            Record::Takes(command) => self.log.push(command),
        }
    }
}

/// The journal, or none.
#[derive(Debug, Default)]
pub(super) struct Storage {
    journal: Option<Journal>,
    bug: Option<Bug>,
}

impl Storage {
    /// Opens the journal, and returns the state in it, if there is any.
    pub(super) async fn open(
        disk: Disk,
        bug: Option<Bug>,
    ) -> Result<(Self, Option<Saved>), JournalError> {
        let recovered = Journal::recover(&disk, "journal").await?;
        let (_, records) = recovered.decode::<(), Record>()?;
        let saved = (!records.is_empty()).then(|| {
            let mut saved = Saved::default();
            records.into_iter().for_each(|record| saved.apply(record));
            saved
        });
        let journal = Some(recovered.journal);
        Ok((Self { journal, bug }, saved))
    }

    /// Writes a record, which is durable when this returns.
    pub(super) async fn write(&self, record: Record) -> Result<(), JournalError> {
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        let is_left_out = match record {
            Record::Joins(_) => self.bug == Some(Bug::ViewNotWritten),
            Record::Enters(..) => false,
            Record::Takes(_) => self.bug == Some(Bug::PreparedNotSynced),
        };
        match (record, is_left_out) {
            (Record::Joins(_), true) => return Ok(()),
            (record, _) => journal.append_value(&record)?,
        };
        match is_left_out {
            true => Ok(()),
            false => journal.sync().await,
        }
    }
}
