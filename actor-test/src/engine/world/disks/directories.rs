//! The names on a disk: [`Names`].

use std::collections::{BTreeMap, BTreeSet};

use crate::data::records::DiskAction;

/// The root directory.
pub(crate) const ROOT: u32 = 0;

/// Which node each name in each directory means: a file or a directory.
type Table = BTreeMap<(u32, String), u32>;

/// Names as all see them, and as a crash can't take them away.
#[derive(Clone, Debug, Default)]
pub(crate) struct DirectoryTree {
    now: Table,
    stable: Table,
    /// What makes `now` of `stable`, in order.
    changes: Vec<DirectoryChange>,
    /// What calls they have seen, in order, as a hash.
    pub(super) chain: u64,
}

/// A change of names that is not synced: all of it survives a crash, or nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DirectoryChange {
    /// What each name means from then on.
    sets: Vec<((u32, String), Option<u32>)>,
    /// What was done.
    pub(crate) what: DiskAction,
}

impl DirectoryTree {
    pub(super) fn get(&self, directory: u32, name: &str) -> Option<u32> {
        self.now.get(&(directory, name.to_owned())).copied()
    }

    /// What a directory holds, by name.
    pub(super) fn list(&self, directory: u32) -> impl Iterator<Item = (&str, u32)> {
        let from = (directory, String::new());
        let in_it = self.now.range(from..);
        let in_it = in_it.take_while(move |((of, _), _)| *of == directory);
        in_it.map(|((_, name), node)| (name.as_str(), *node))
    }

    pub(super) fn change(&mut self, sets: Vec<((u32, String), Option<u32>)>, what: DiskAction) {
        apply(&mut self.now, &sets);
        self.changes.push(DirectoryChange { sets, what });
    }

    /// What is not synced.
    pub(crate) fn changes(&self) -> &[DirectoryChange] {
        &self.changes
    }

    /// The names in a directory survive from now on. A change that concerns two directories is synced
    /// with the first of them; so is what was done before to the same names.
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

    /// The power fails. `is_kept` says which changes were on the disk.
    pub(super) fn crash(&mut self, is_kept: impl Fn(usize) -> bool) {
        for (number, change) in self.changes.iter().enumerate() {
            if is_kept(number) {
                apply(&mut self.stable, &change.sets);
            }
        }
        self.changes.clear();
        self.now.clone_from(&self.stable);
    }

    /// Every name, as all see them.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &str, u32)> {
        let all = self.now.iter();
        all.map(|((directory, name), node)| (*directory, name.as_str(), *node))
    }

    /// Feeds what a program may ever see of them.
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
