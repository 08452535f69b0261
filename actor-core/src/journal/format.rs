//! The file format of a journal (write-ahead log): [`encode`](Header::encode), [`parse`].
//!
//! All numbers are little-endian, all checksums CRC-32.
//!
//! ```text
//! file     header, mark, mark, each in a sector of 512 bytes; snapshot, frame, frame, …
//! header   "journal2", first: u64, sealed: u64, snapshot's length: u64 (all ones: none), salt: u64,
//!          snapshot's checksum: u32, header's checksum: u32
//! mark     synced: u64, checksum: u32
//! frame    body's length: u32, records: u32, first: u64, body's checksum: u32, header's checksum: u32, body
//! body     for each record its length: u32, and the record
//! ```
//!
//! Records are numbered from zero over all openings of the journal. `first` is the number of the first record
//! after the snapshot, or in the frame. A frame is a batch that was written at once, and the next frame is
//! written only after a sync of that one. The file was synced up to the offset `sealed` before it got its
//! name. The salt goes into the checksum of each mark and each frame's header, so that the content of a
//! record, which may look like a frame, is never taken for a frame of this file.
//!
//! A mark records up to which offset the file, and its name, are synced. The mark is written after that sync,
//! alternately to one of two places near the start, which truncating the file does not remove, and is synced
//! with the next frame. So a crash loses one mark at most, and a torn mark leaves the previous one.

use std::ops::Range;

const MAGIC: &[u8; 8] = b"journal2";
const MARK_BYTES: usize = 12;
/// The unit that a disk writes atomically.
const SECTOR_BYTES: usize = 512;
/// The offsets of the two marks.
const MARKS: [usize; 2] = [SECTOR_BYTES, 2 * SECTOR_BYTES];
/// The offset of the snapshot.
pub(super) const CONTENT: usize = 3 * SECTOR_BYTES;
pub(super) const FRAME_BYTES: usize = 24;
const NO_SNAPSHOT: u64 = u64::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) first: u64,
    pub(super) sealed: u64,
    pub(super) snapshot: Option<u64>,
    pub(super) salt: u64,
    snapshot_sum: u32,
}

impl Header {
    pub(super) fn new(first: u64, salt: u64, snapshot: Option<&[u8]>) -> Self {
        Self {
            first,
            sealed: 0,
            snapshot: snapshot.map(|bytes| bytes.len() as u64),
            salt,
            snapshot_sum: crc32fast::hash(snapshot.unwrap_or_default()),
        }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let snapshot = self.snapshot.unwrap_or(NO_SNAPSHOT);
        for number in [self.first, self.sealed, snapshot, self.salt] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.snapshot_sum.to_le_bytes());
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes.resize(CONTENT, 0);
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Self, &'static str> {
        let Some(bytes) = bytes.get(..CONTENT) else {
            return Err("the file ends within its header");
        };
        if &bytes[..8] != MAGIC {
            return Err("the file is no journal, or one of another version");
        }
        if crc32fast::hash(&bytes[..44]) != u32_at(bytes, 44) {
            return Err("the file's header is damaged");
        }
        let snapshot = u64_at(bytes, 24);
        Ok(Self {
            first: u64_at(bytes, 8),
            sealed: u64_at(bytes, 16),
            snapshot: (snapshot != NO_SNAPSHOT).then_some(snapshot),
            salt: u64_at(bytes, 32),
            snapshot_sum: u32_at(bytes, 40),
        })
    }
}

/// Records in the header of a file's content up to which offset it is synced before it gets its name.
pub(super) fn seal(content: &mut [u8], sealed: u64) {
    content[16..24].copy_from_slice(&sealed.to_le_bytes());
    let sum = crc32fast::hash(&content[..44]);
    content[44..48].copy_from_slice(&sum.to_le_bytes());
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SyncMark {
    pub(super) at: u64,
    pub(super) bytes: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Marks {
    next: usize,
}

impl Marks {
    /// Returns the next mark, which records that the file is synced up to `synced`.
    pub(super) fn advance(&mut self, synced: u64, salt: u64) -> SyncMark {
        let at = MARKS[self.next];
        self.next = 1 - self.next;
        let mut bytes = synced.to_le_bytes().to_vec();
        let sum = header_sum(&bytes, salt);
        bytes.extend(sum.to_le_bytes());
        SyncMark {
            at: at as u64,
            bytes,
        }
    }

    /// Returns the synced length according to the marks, if any, and the place of the next mark.
    fn read(bytes: &[u8], salt: u64) -> (Option<u64>, Self) {
        let known = MARKS.map(|at| {
            let mark = &bytes[at..at + MARK_BYTES];
            (header_sum(&mark[..8], salt) == u32_at(mark, 8)).then(|| u64_at(mark, 0))
        });
        let next = usize::from(known[0] >= known[1]);
        (known[1 - next], Self { next })
    }
}

struct FrameHeader {
    len: u32,
    records: u32,
    first: u64,
    sum: u32,
}

impl FrameHeader {
    fn decode(bytes: &[u8], salt: u64) -> Option<Self> {
        let bytes = bytes.get(..FRAME_BYTES)?;
        let header = Self {
            len: u32_at(bytes, 0),
            records: u32_at(bytes, 4),
            first: u64_at(bytes, 8),
            sum: u32_at(bytes, 16),
        };
        (header_sum(&bytes[..20], salt) == u32_at(bytes, 20)).then_some(header)
    }
}

fn header_sum(bytes: &[u8], salt: u64) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&salt.to_le_bytes());
    sum.update(bytes);
    sum.finalize()
}

pub(super) fn push_record(body: &mut Vec<u8>, record: &[u8]) {
    body.extend((record.len() as u32).to_le_bytes());
    body.extend(record);
}

pub(super) fn frame(first: u64, records: u32, body: &[u8], salt: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(FRAME_BYTES + body.len());
    bytes.extend((body.len() as u32).to_le_bytes());
    bytes.extend(records.to_le_bytes());
    bytes.extend(first.to_le_bytes());
    bytes.extend(crc32fast::hash(body).to_le_bytes());
    let sum = header_sum(&bytes, salt);
    bytes.extend(sum.to_le_bytes());
    bytes.extend(body);
    bytes
}

#[derive(PartialEq, Eq, Debug)]
pub(super) struct Parsed {
    pub(super) first: u64,
    pub(super) snapshot: Option<Range<usize>>,
    pub(super) records: Vec<Range<usize>>,
    /// The end of the records: a torn tail begins there, or the file ends.
    pub(super) end: usize,
    /// True if all of the content is known to be synced.
    pub(super) is_synced: bool,
    /// The salt of the file's frames.
    pub(super) salt: u64,
    pub(super) marks: Marks,
}

#[derive(Debug)]
pub(super) struct Damage {
    pub(super) offset: usize,
    /// The number of the first record that can't be read.
    pub(super) record: u64,
    pub(super) why: &'static str,
}

/// Parses a file, except for a tail that was never synced.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, Damage> {
    let damaged = |offset, record, why| Damage {
        offset,
        record,
        why,
    };
    let header = Header::decode(bytes).map_err(|why| damaged(0, 0, why))?;
    let (marked, marks) = Marks::read(bytes, header.salt);
    let synced = header.sealed.max(marked.unwrap_or(0));
    let synced = usize::try_from(synced).unwrap_or(usize::MAX);
    let mut parsed = Parsed {
        first: header.first,
        snapshot: None,
        records: Vec::new(),
        end: 0,
        is_synced: false,
        salt: header.salt,
        marks,
    };
    let mut at = CONTENT;
    if let Some(len) = header.snapshot {
        // The snapshot is sealed, so it must be complete.
        let end = usize::try_from(len)
            .ok()
            .and_then(|len| at.checked_add(len));
        let snapshot = at..end.unwrap_or(usize::MAX);
        let found = bytes.get(snapshot.clone());
        if found.map(crc32fast::hash) != Some(header.snapshot_sum) {
            return Err(damaged(at, header.first, "the snapshot is damaged"));
        }
        at = snapshot.end;
        parsed.snapshot = Some(snapshot);
    }
    while at < bytes.len() {
        let expected = header.first + parsed.records.len() as u64;
        match parse_frame(bytes, at, expected, header.salt, &mut parsed.records) {
            Ok(end) => at = end,
            Err(why) if at < synced || has_later(bytes, at, expected, header.salt) => {
                return Err(damaged(at, expected, why));
            }
            Err(_) => break,
        }
    }
    if at < synced {
        let expected = header.first + parsed.records.len() as u64;
        let why = "the file ends before the place up to which it was synced";
        return Err(damaged(at, expected, why));
    }
    parsed.end = at;
    parsed.is_synced = marked == Some(at as u64);
    Ok(parsed)
}

/// Parses a frame; returns the offset of its end.
fn parse_frame(
    bytes: &[u8],
    at: usize,
    expected: u64,
    salt: u64,
    records: &mut Vec<Range<usize>>,
) -> Result<usize, &'static str> {
    let Some(header) = FrameHeader::decode(&bytes[at..], salt) else {
        return Err("the header of a frame of records is damaged");
    };
    if header.first != expected {
        return Err("records are missing before this place");
    }
    let begin = at + FRAME_BYTES;
    let end = begin.saturating_add(header.len as usize);
    match bytes.get(begin..end) {
        None => return Err("the file ends within a frame of records"),
        Some(body) if crc32fast::hash(body) != header.sum => {
            return Err("the records of a frame are damaged");
        }
        Some(_) => {}
    }
    let known = records.len();
    let mut next = begin;
    while next < end {
        let len = bytes[next..end].get(..4).map(|len| u32_at(len, 0) as usize);
        let from = next + 4;
        match len.and_then(|len| from.checked_add(len)) {
            Some(to) if to <= end => {
                records.push(from..to);
                next = to;
            }
            _ => break,
        }
    }
    if next != end || records.len() - known != header.records as usize {
        records.truncate(known);
        return Err("the records of a frame don't add up");
    }
    Ok(end)
}

/// True if a later frame follows. The damaged frame was synced then, as later frames are written after.
fn has_later(bytes: &[u8], at: usize, expected: u64, salt: u64) -> bool {
    let candidates = at..bytes.len().saturating_sub(FRAME_BYTES - 1);
    { candidates }.any(|at| {
        let header = FrameHeader::decode(&bytes[at..], salt);
        header.is_some_and(|header| header.first > expected)
    })
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(number)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}
