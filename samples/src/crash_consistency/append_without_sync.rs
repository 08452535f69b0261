//! Append without sync: the texts are in the page cache only.

use std::io;

use actor_core::fs::{Disk, File, OpenOptions};

use super::Storage;

/// A file with one line for each text.
pub(super) struct Lines<const SYNCED: bool>(File);

impl<const SYNCED: bool> Storage for Lines<SYNCED> {
    async fn open(disk: Disk) -> io::Result<(Self, Vec<String>)> {
        let options = OpenOptions::new().read(true).append(true).create(true);
        let file = disk.open("lines", options).await?;
        disk.sync_dir(".").await?;
        let text = file.read_at(0, 1 << 20).await?;
        let text = String::from_utf8_lossy(&text).into_owned();
        // The last line may be torn, or lost before a later one. Each write is atomic in this sample.
        let lines = text.lines().map(str::to_owned).collect();
        Ok((Self(file), lines))
    }

    // ANCHOR: put
    async fn put(&mut self, text: &str) -> io::Result<()> {
        self.0.append(format!("{text}\n")).await?;
        if SYNCED {
            self.0.sync_data().await?;
        }
        Ok(())
    }
    // ANCHOR_END: put
}
