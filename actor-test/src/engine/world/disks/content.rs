//! The content of a file on a simulated disk, with its unsynced changes: [`Content`].

use std::ops::Range;

/// A file: the bytes that all readers see, and the bytes that survive a crash.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    now: Vec<u8>,
    /// The bytes that survive any crash.
    stable: Vec<u8>,
    /// The changes that turn `stable` into `now`, in order.
    changes: Vec<ContentChange>,
    /// A hash of all crashes and all calls to the file except reads, in order.
    pub(super) chain: u64,
}

/// An unsynced change of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ContentChange {
    pub(crate) what: Edit,
    /// True once a failed sync has dropped the change: no later sync brings it to the disk.
    pub(crate) is_dropped: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Edit {
    Write { at: u64, bytes: Vec<u8> },
    SetLen { len: u64 },
}

impl Edit {
    /// Returns the number of parts that a crash keeps or loses independently: blocks of a write of `block`
    /// bytes each, or the whole change if `block` is zero.
    pub(crate) fn parts(&self, block: u64) -> u32 {
        match self {
            Self::Write { bytes, .. } if bytes.is_empty() => 0,
            Self::Write { at, bytes } if block > 0 => {
                let last = at + bytes.len() as u64 - 1;
                u32::try_from(last / block - at / block + 1).unwrap_or(u32::MAX)
            }
            Self::Write { .. } | Self::SetLen { .. } => 1,
        }
    }

    /// Returns the range of a part within the written bytes.
    fn range(&self, part: u32, block: u64) -> Range<usize> {
        let Self::Write { at, bytes } = self else {
            return 0..0;
        };
        if block == 0 {
            return 0..bytes.len();
        }
        let first = at / block * block;
        let begin = first + u64::from(part) * block;
        let end = (begin + block - at).min(bytes.len() as u64);
        begin.saturating_sub(*at) as usize..end as usize
    }

    /// Applies the parts of the change for which `is_kept` is true to `content`.
    fn apply(&self, content: &mut Vec<u8>, block: u64, is_kept: impl Fn(u32) -> bool) {
        match self {
            Self::SetLen { len } => {
                if is_kept(0) {
                    content.resize(*len as usize, 0);
                }
            }
            Self::Write { at, bytes } => {
                for part in (0..self.parts(block)).filter(|part| is_kept(*part)) {
                    let range = self.range(part, block);
                    let (begin, end) = (*at as usize + range.start, *at as usize + range.end);
                    if content.len() < end {
                        content.resize(end, 0);
                    }
                    content[begin..end].copy_from_slice(&bytes[range]);
                }
            }
        }
    }
}

impl Content {
    pub(super) fn len(&self) -> u64 {
        self.now.len() as u64
    }

    pub(super) fn read(&self, at: u64, len: usize) -> Vec<u8> {
        let begin = usize::try_from(at)
            .unwrap_or(usize::MAX)
            .min(self.now.len());
        let end = begin.saturating_add(len).min(self.now.len());
        self.now[begin..end].to_vec()
    }

    pub(super) fn change(&mut self, what: Edit) {
        what.apply(&mut self.now, 0, |_| true);
        self.changes.push(ContentChange {
            what,
            is_dropped: false,
        });
    }

    /// Returns the unsynced changes, in order.
    pub(crate) fn changes(&self) -> &[ContentChange] {
        &self.changes
    }

    /// Makes all changes survive a crash, except those that a failed sync has dropped.
    pub(super) fn sync(&mut self) {
        if self.changes.iter().any(|change| change.is_dropped) {
            for change in self.changes.iter().filter(|change| !change.is_dropped) {
                change.what.apply(&mut self.stable, 0, |_| true);
            }
            self.changes.retain(|change| change.is_dropped);
        } else {
            self.stable.clone_from(&self.now);
            self.changes.clear();
        }
    }

    /// Drops all unsynced changes after a failed sync. Readers still see them until a crash.
    pub(super) fn drop_changes(&mut self) {
        for change in &mut self.changes {
            change.is_dropped = true;
        }
    }

    /// Crashes the file. `is_kept` decides which parts of which changes had reached the disk.
    pub(super) fn crash(&mut self, block: u64, is_kept: impl Fn(usize, u32) -> bool) {
        for (number, change) in self.changes.iter().enumerate() {
            if !change.is_dropped {
                let is_kept = |part| is_kept(number, part);
                change.what.apply(&mut self.stable, block, is_kept);
            }
        }
        self.changes.clear();
        self.now.clone_from(&self.stable);
    }

    /// Feeds everything that a program may observe of the file into a fingerprint.
    pub(super) fn feed(&self, mut to: impl FnMut(&[u8])) {
        let mut sized = |bytes: &[u8]| {
            to(&(bytes.len() as u64).to_le_bytes());
            to(bytes);
        };
        sized(&self.now);
        if self.changes.is_empty() {
            return;
        }
        sized(&self.stable);
        for change in &self.changes {
            let (tag, at, bytes): (u8, u64, &[u8]) = match &change.what {
                Edit::Write { at, bytes } => (1, *at, bytes),
                Edit::SetLen { len } => (2, *len, &[]),
            };
            sized(&[tag + u8::from(change.is_dropped) * 2]);
            sized(&at.to_le_bytes());
            sized(bytes);
        }
    }
}
