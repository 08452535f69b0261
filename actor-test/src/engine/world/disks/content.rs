//! What a file holds: [`Content`].

use std::ops::Range;

/// A file: what all who read it see, and what a crash can't take away.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    now: Vec<u8>,
    /// What survives whatever happens.
    stable: Vec<u8>,
    /// What makes `now` of `stable`, in order.
    changes: Vec<Change>,
    /// What calls it has seen, in order, as a hash.
    pub(super) chain: u64,
}

/// A change of a file that is not synced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub(crate) what: Edit,
    /// A failed sync has dropped it: no later one brings it to the disk.
    pub(crate) is_dropped: bool,
}

/// What is changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Edit {
    Write { at: u64, bytes: Vec<u8> },
    SetLen { len: u64 },
}

impl Edit {
    /// How many parts a crash keeps or loses apart from each other, where writes are kept in blocks of
    /// that many bytes; as wholes, where that is zero.
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

    /// Where in the write that part is.
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

    /// Changes `content` by the parts that `is_kept` names.
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
        self.changes.push(Change {
            what,
            is_dropped: false,
        });
    }

    /// What is not synced.
    pub(crate) fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// What was written so far survives, unless a failed sync has dropped it.
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

    /// A sync has failed, and what was not synced never will be, though it is still to be read.
    pub(super) fn drop_changes(&mut self) {
        for change in &mut self.changes {
            change.is_dropped = true;
        }
    }

    /// The power fails. `is_kept` says of each change, by its number, which parts were on the disk.
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

    /// Feeds what a program may ever see of it.
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
