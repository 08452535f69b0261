//! Power failure of a simulated disk: [`SimulatedDisk::crash`].
//!
//! A crash keeps what was synced. A real page cache writes the rest back in any order, so the simulated disk
//! keeps or loses each unsynced change independently. A change is one change of names or, in a file that
//! still has a name, one new length or one write; a torn write is divided into blocks. The kept changes are
//! applied in the order of their calls. Each answer is a bit set of lost parts. Zero loses nothing, so a
//! minimised execution loses no more than it needs to.

use crate::data::story::DiskCall;
use crate::engine::world::disks::content::Edit;
use crate::engine::world::disks::directories::ROOT;
use crate::engine::world::disks::disk::{Inode, SimulatedDisk};
use crate::hash::mix;
use crate::records::DiskRecord;

/// The largest number of parts in one answer.
const PARTS_MAX: u32 = 16;

/// A change that the power failure has lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LostChange {
    /// The call that made the change.
    pub(crate) what: DiskRecord,
    /// The number of lost parts and of all parts, if only some parts were lost.
    pub(crate) parts: Option<(u32, u32)>,
}

impl SimulatedDisk {
    /// Fails the power. `lose` gets a number of parts, 16 at most, and returns the lost ones as bits.
    pub(crate) fn crash(&mut self, mut lose: impl FnMut(u32) -> u32) -> Vec<LostChange> {
        let mut losses = Vec::new();
        let mut chain = 0;
        let mut lose = |parts: u32| {
            let lost = lose(parts);
            chain = mix(chain, u64::from(lost));
            lost
        };
        self.crash_names(&mut lose, &mut losses);
        for node in self.reachable() {
            self.crash_file(node, &mut lose, &mut losses);
        }
        for node in &mut self.nodes {
            // A file without a name keeps its changes, since nobody can read it any more.
            if let Inode::File(content) = node {
                content.crash(0, |_, _| true);
                content.chain = mix(content.chain, chain);
            }
        }
        self.names.chain = mix(self.names.chain, chain);
        self.failures += 1;
        losses
    }

    fn crash_names(&mut self, lose: &mut impl FnMut(u32) -> u32, losses: &mut Vec<LostChange>) {
        let changes = self.names.changes();
        let lost: Vec<bool> = changes.iter().map(|_| lose(1) != 0).collect();
        let gone = changes.iter().zip(&lost).filter(|(_, lost)| **lost);
        losses.extend(gone.map(|(change, _)| LostChange {
            what: change.what.clone(),
            parts: None,
        }));
        self.names.crash(|number| !lost[number]);
    }

    fn crash_file(
        &mut self,
        node: u32,
        lose: &mut impl FnMut(u32) -> u32,
        losses: &mut Vec<LostChange>,
    ) {
        let (path, block) = (self.path_of(node), self.block);
        let Inode::File(content) = &mut self.nodes[node as usize] else {
            return;
        };
        let mut lost: Vec<Vec<u32>> = Vec::new();
        for change in content.changes() {
            let parts = change.what.parts(block);
            let mut sets = Vec::new();
            let mut count = 0;
            for from in (0..parts).step_by(PARTS_MAX as usize) {
                let of = PARTS_MAX.min(parts - from);
                let set = match change.is_dropped {
                    true => (1 << of) - 1,
                    false => lose(of),
                };
                count += set.count_ones();
                sets.push(set);
            }
            if count > 0 {
                losses.push(LostChange {
                    what: action(&change.what, &path),
                    parts: (count < parts).then_some((count, parts)),
                });
            }
            lost.push(sets);
        }
        content.crash(block, |number, part| {
            lost[number][(part / PARTS_MAX) as usize] >> (part % PARTS_MAX) & 1 == 0
        });
    }

    /// Returns the files and directories that a path leads to, in the order of their creation.
    fn reachable(&self) -> Vec<u32> {
        let mut is_reached = vec![false; self.nodes.len()];
        let mut directories = vec![ROOT];
        while let Some(directory) = directories.pop() {
            for (_, node) in self.names.list(directory) {
                if !std::mem::replace(&mut is_reached[node as usize], true) {
                    directories.push(node);
                }
            }
        }
        let nodes = 0..self.nodes.len() as u32;
        nodes.filter(|node| is_reached[*node as usize]).collect()
    }
}

fn action(edit: &Edit, path: &str) -> DiskRecord {
    match edit {
        Edit::Write { at, bytes } => DiskRecord {
            at: Some(*at),
            bytes: Some(bytes.len() as u64),
            ..DiskRecord::on(DiskCall::Write, path)
        },
        Edit::SetLen { len } => DiskRecord {
            bytes: Some(*len),
            ..DiskRecord::on(DiskCall::SetLen, path)
        },
    }
}
