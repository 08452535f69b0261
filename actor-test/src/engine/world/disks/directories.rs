//! The directories of a simulated disk, with their unsynced changes: [`DirectoryTree`].

use std::collections::{BTreeMap, BTreeSet};

use crate::records::DiskRecord;

/// The number of the root directory.
pub(crate) const ROOT: u32 = 0;

/// The file or directory of each name in each directory.
type Table = BTreeMap<(u32, String), u32>;

/// The names that all readers see, and the names that survive a crash.
#[derive(Clone, Debug, Default)]
pub(crate) struct DirectoryTree {
    now: Table,
    stable: Table,
    /// The changes that turn `stable` into `now`, in order.
    changes: Vec<DirectoryChange>,
    /// A hash of all crashes and all calls to names except reads, in order.
    pub(super) chain: u64,
}

/// An unsynced change of names. A crash keeps all of it, or nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DirectoryChange {
    /// The new file or directory of each name; `None` removes the name.
    sets: Vec<((u32, String), Option<u32>)>,
    /// The call that made the change.
    pub(crate) what: DiskRecord,
}

impl DirectoryTree {
    pub(super) fn get(&self, directory: u32, name: &str) -> Option<u32> {
        self.now.get(&(directory, name.to_owned())).copied()
    }

    /// Returns the entries of a directory, by name.
    pub(super) fn list(&self, directory: u32) -> impl Iterator<Item = (&str, u32)> {
        let from = (directory, String::new());
        let in_it = self.now.range(from..);
        let in_it = in_it.take_while(move |((of, _), _)| *of == directory);
        in_it.map(|((_, name), node)| (name.as_str(), *node))
    }

    pub(super) fn change(&mut self, sets: Vec<((u32, String), Option<u32>)>, what: DiskRecord) {
        apply(&mut self.now, &sets);
        self.changes.push(DirectoryChange { sets, what });
    }

    pub(crate) fn changes(&self) -> &[DirectoryChange] {
        &self.changes
    }

    /// Makes the names in a directory survive a crash. A change of two directories is synced with the first
    /// of them. Earlier changes of the same names are synced as well.
    pub(super) fn sync(&mut self, directory: u32) {
        let mut settled: BTreeSet<(u32, String)> = BTreeSet::new();
        let mut is_synced = vec![false; self.changes.len()];
        for (change, is_synced) in self.changes.iter().zip(&mut is_synced).rev() {
            let concerns = |name: &(u32, String)| name.0 == directory || settled.contains(name);
            if change.sets.iter().any(|(name, _)| concerns(name)) {
                *is_synced = true;
                settled.extend(change.sets.iter().map(|(name, _)| name.clone()));
            }
        }
        let mut left = Vec::new();
        for (change, is_synced) in std::mem::take(&mut self.changes).into_iter().zip(is_synced) {
            match is_synced {
                true => apply(&mut self.stable, &change.sets),
                false => left.push(change),
            }
        }
        self.changes = left;
    }

    /// Crashes the names. `is_kept` decides which changes had reached the disk.
    pub(super) fn crash(&mut self, is_kept: impl Fn(usize) -> bool) {
        for (number, change) in self.changes.iter().enumerate() {
            if is_kept(number) {
                apply(&mut self.stable, &change.sets);
            }
        }
        self.changes.clear();
        self.now.clone_from(&self.stable);
    }

    /// Returns the directory, the name, and the file or directory of every name.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &str, u32)> {
        let all = self.now.iter();
        all.map(|((directory, name), node)| (*directory, name.as_str(), *node))
    }

    /// Feeds everything that a program may observe of the names into a fingerprint.
    pub(super) fn feed(&self, mut to: impl FnMut(&[u8])) {
        let mut table = |table: &Table| {
            to(&(table.len() as u64).to_le_bytes());
            for ((directory, name), node) in table {
                to(&directory.to_le_bytes());
                to(&(name.len() as u64).to_le_bytes());
                to(name.as_bytes());
                to(&node.to_le_bytes());
            }
        };
        table(&self.now);
        if self.changes.is_empty() {
            return;
        }
        table(&self.stable);
        for change in &self.changes {
            to(&(change.sets.len() as u64).to_le_bytes());
            for ((directory, name), node) in &change.sets {
                to(&directory.to_le_bytes());
                to(&(name.len() as u64).to_le_bytes());
                to(name.as_bytes());
                to(&node.map_or(0, |node| u64::from(node) + 1).to_le_bytes());
            }
        }
    }
}

fn apply(table: &mut Table, sets: &[((u32, String), Option<u32>)]) {
    for (name, node) in sets {
        match node {
            Some(node) => drop(table.insert(name.clone(), *node)),
            None => drop(table.remove(name)),
        }
    }
}
