//! A log that writes its header first: the count includes a record that is not written yet.

use std::io;

use actor_core::fs::{Disk, File, OpenOptions};

use super::Storage;

/// The size of a record in bytes, and of the count at the beginning of the file.
const RECORD: u64 = 16;

/// A count and records of fixed size. The count is one byte, which a crash cannot tear.
pub(super) struct Counted<const RECORD_FIRST: bool> {
    file: File,
    count: u8,
}

impl<const RECORD_FIRST: bool> Storage for Counted<RECORD_FIRST> {
    async fn open(disk: Disk) -> io::Result<(Self, Vec<String>)> {
        let options = OpenOptions::new().read(true).write(true).create(true);
        let file = disk.open("counted", options).await?;
        disk.sync_dir(".").await?;
        let count = file.read_at(0, 1).await?.first().copied().unwrap_or(0);
        let mut texts = Vec::new();
        for number in 0..u64::from(count) {
            let record = file.read_at(RECORD * (number + 1), RECORD as usize).await?;
            let text = String::from_utf8_lossy(&record).into_owned();
            texts.push(text.trim_end_matches('\0').into());
        }
        Ok((Self { file, count }, texts))
    }

    // ANCHOR: put
    async fn put(&mut self, text: &str) -> io::Result<()> {
        let place = RECORD * (u64::from(self.count) + 1);
        self.count += 1;
        if RECORD_FIRST {
            self.file.write_at(place, text).await?;
            self.file.sync_data().await?;
            self.file.write_at(0, [self.count]).await?;
        } else {
            self.file.write_at(0, [self.count]).await?;
            self.file.write_at(place, text).await?;
        }
        self.file.sync_data().await
    }
    // ANCHOR_END: put
}
