//! Recovery of a journal when it is opened: [`Recovered`].

use super::format::{Damage, Parsed};
use super::{Journal, JournalError};

/// A journal that was opened by [`Journal::recover`], and its content.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recovered {
    /// The open journal, for further records.
    pub journal: Journal,
    /// The last snapshot.
    pub snapshot: Option<Vec<u8>>,
    /// The records appended after the snapshot, in order.
    pub records: Vec<Vec<u8>>,
    /// The number of the first of these records: the count of records before the snapshot.
    pub first: u64,
    /// The number of bytes of torn records at the end, which were never reported as durable and are cut off.
    pub torn_bytes: u64,
}

/// The content of a file, without the journal.
#[derive(Debug, Default)]
pub(super) struct JournalContent {
    pub(super) snapshot: Option<Vec<u8>>,
    pub(super) records: Vec<Vec<u8>>,
    pub(super) first: u64,
    pub(super) torn_bytes: u64,
}

impl JournalContent {
    pub(super) fn of(bytes: &[u8], parsed: Parsed) -> Self {
        Self {
            snapshot: parsed.snapshot.map(|range| bytes[range].to_vec()),
            records: { parsed.records.into_iter() }
                .map(|range| bytes[range].to_vec())
                .collect(),
            first: parsed.first,
            torn_bytes: (bytes.len() - parsed.end) as u64,
        }
    }
}

impl JournalError {
    pub(super) fn damaged(file: &str, damage: &Damage) -> Self {
        Self::Damaged {
            file: file.into(),
            offset: damage.offset as u64,
            record: damage.record,
            why: damage.why,
        }
    }
}

#[cfg(feature = "codec")]
impl Recovered {
    /// Decodes values of [`Journal::snapshot_value`] and [`Journal::append_value`].
    ///
    /// # Errors
    ///
    /// If one of them is of another type; the error says which.
    pub fn decode<S, R>(&self) -> Result<(Option<S>, Vec<R>), JournalError>
    where
        S: serde::de::DeserializeOwned,
        R: serde::de::DeserializeOwned,
    {
        let wrong = |record: Option<u64>| {
            move |error: crate::codec::CodecError| JournalError::Codec {
                file: self.journal.name().into(),
                record,
                message: error.to_string(),
            }
        };
        let snapshot = self.snapshot.as_deref().map(crate::codec::decode);
        let snapshot = snapshot.transpose().map_err(wrong(None))?;
        let records = self.records.iter().zip(self.first..);
        let records = records
            .map(|(record, number)| crate::codec::decode(record).map_err(wrong(Some(number))));
        Ok((snapshot, records.collect::<Result<_, _>>()?))
    }
}
