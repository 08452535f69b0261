//! The rules of disks and journals.

use actor_core::Scope;
use actor_core::fs::{Disk, File, OpenOptions};
use actor_core::journal::Journal;

use crate::constructs::kit::Kit;
use crate::constructs::rules::{ok, rules};

const NEW: OpenOptions = OpenOptions::new().read(true).write(true).create(true);

fn path(number: u64) -> &'static str {
    ["one", "other"][number as usize % 2]
}

/// Encodes the contents of a file as a number.
fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(1, |all, byte| 10 * all + u64::from(*byte))
}

impl Kit {
    async fn opened(&mut self, number: u64) -> Option<File> {
        if self.file.is_none() {
            self.file = self.disk().open(path(number), NEW).await.ok();
        }
        self.file.clone()
    }

    async fn journal(&mut self) -> Option<&Journal> {
        if self.journal.is_none() {
            let recovered = Journal::recover(&self.disk(), "journal").await;
            self.journal = recovered.ok().map(|recovered| recovered.journal);
        }
        self.journal.as_ref()
    }

    fn disk(&self) -> Disk {
        self.sys().disk()
    }
}

macro_rules! opened {
    ($kit:ident, $number:ident) => {
        match $kit.opened($number).await {
            Some(file) => file,
            None => return 95,
        }
    };
}

rules! {
    "disks" {
        open_file STACKED ["fs::Disk::open", "Scope::disk"] |k, n| {
            ok(&k.disk().open(path(n), OpenOptions::new().read(true)).await)
        };
        open_in_a_handler ACTOR ["Scope::disk", "fs::Disk::open"] |k, n, cx| {
            k.file = cx.disk().open(path(n), NEW).await.ok();
            u64::from(k.file.is_some())
        };
        make_dir STACKED ["fs::Disk::create_dir"] |k, n| ok(&k.disk().create_dir(path(n)).await);
        list_dir STACKED ["fs::Disk::read_dir"] |k, _n| {
            k.disk().read_dir("").await.map_or(90, |entries| entries.len() as u64)
        };
        remove_dir STACKED ["fs::Disk::remove_dir"] |k, n| ok(&k.disk().remove_dir(path(n)).await);
        remove_file STACKED ["fs::Disk::remove_file"] |k, n| ok(&k.disk().remove_file(path(n)).await);
        rename_file STACKED ["fs::Disk::rename"] |k, n| ok(&k.disk().rename(path(n), path(1 + n)).await);
        sync_dir STACKED ["fs::Disk::sync_dir"] |k, _n| ok(&k.disk().sync_dir("").await);
        power_fails STACKED ["fs::Disk::faults", "fs::DiskFaults::fail_power"] |k, _n| match k.disk().faults() {
            Some(faults) => { faults.fail_power(); 1 }
            None => 0,
        };
        writes_tear STACKED ["fs::Disk::faults", "fs::DiskFaults::tear_writes"] |k, _n| match k.disk().faults() {
            Some(faults) => { faults.tear_writes(1); 1 }
            None => 0,
        };
        write_file ANYBODY ["fs::File::write_at"] |k, n| ok(&opened!(k, n).write_at(n, [n as u8]).await);
        read_file ANYBODY ["fs::File::read_at"] |k, n| {
            opened!(k, n).read_at(0, 4).await.map_or(90, |bytes| number(&bytes))
        };
        append STACKED ["fs::File::append"] |k, n| {
            let append = OpenOptions::new().append(true).create(true);
            match k.disk().open(path(n), append).await {
                Ok(file) => file.append([n as u8]).await.unwrap_or(90),
                Err(_) => 95,
            }
        };
        set_len ANYBODY ["fs::File::set_len"] |k, n| ok(&opened!(k, n).set_len(n).await);
        file_len ANYBODY ["fs::File::len"] |k, n| opened!(k, n).len().await.unwrap_or(90);
        file_is_empty ANYBODY ["fs::File::is_empty"] |k, n| opened!(k, n).is_empty().await.map_or(90, u64::from);
        sync_file ANYBODY ["fs::File::sync_all"] |k, n| ok(&opened!(k, n).sync_all().await);
        sync_data ANYBODY ["fs::File::sync_data"] |k, n| ok(&opened!(k, n).sync_data().await);
    }
    "journals" {
        recover ANYBODY ["Journal::recover"] |k, _n| {
            k.journal = None;
            match Journal::recover(&k.disk(), "journal").await {
                Ok(recovered) => {
                    let records = recovered.records.iter().map(|record| number(record)).sum::<u64>();
                    let snapshot = recovered.snapshot.map_or(0, |snapshot| number(&snapshot));
                    k.journal = Some(recovered.journal);
                    100 * snapshot + records
                }
                Err(_) => 95,
            }
        };
        journal_append ANYBODY ["Journal::append"] |k, n| match k.journal().await {
            Some(journal) => journal.append([n as u8]).unwrap_or(90),
            None => 95,
        };
        journal_append_value ANYBODY ["Journal::append_value"] |k, n| match k.journal().await {
            Some(journal) => journal.append_value(&(n as u8)).unwrap_or(90),
            None => 95,
        };
        journal_snapshot ANYBODY ["Journal::snapshot"] |k, n| match k.journal().await {
            Some(journal) => ok(&journal.snapshot([n as u8])),
            None => 95,
        };
        journal_snapshot_value ANYBODY ["Journal::snapshot_value"] |k, n| match k.journal().await {
            Some(journal) => ok(&journal.snapshot_value(&(n as u8))),
            None => 95,
        };
        journal_sync ANYBODY ["Journal::sync"] |k, _n| match k.journal().await {
            Some(journal) => ok(&journal.sync().await),
            None => 95,
        };
        journal_next ANYBODY ["Journal::next"] |k, _n| match k.journal().await {
            Some(journal) => journal.next(),
            None => 95,
        };
    }
}
