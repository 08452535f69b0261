//! Rename without a sync of the directory: the new file is durable, but its name is not.

use std::io;

use actor_core::fs::{Disk, OpenOptions};

use super::Storage;

/// All texts in one file, which is replaced for each new text.
pub(super) struct Replaced<const SYNCED: bool> {
    disk: Disk,
    texts: Vec<String>,
}

impl<const SYNCED: bool> Storage for Replaced<SYNCED> {
    async fn open(disk: Disk) -> io::Result<(Self, Vec<String>)> {
        let content = match disk.open("texts", OpenOptions::new().read(true)).await {
            Ok(file) => file.read_at(0, 1 << 20).await?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let content = String::from_utf8_lossy(&content);
        let texts: Vec<String> = content.lines().map(str::to_owned).collect();
        // The file may be in the page cache only: a run that crashed without a power failure wrote it.
        disk.sync_dir(".").await?;
        let storage = Self {
            disk,
            texts: texts.clone(),
        };
        Ok((storage, texts))
    }

    // ANCHOR: put
    async fn put(&mut self, text: &str) -> io::Result<()> {
        self.texts.push(text.into());
        let new = OpenOptions::new().write(true).create(true).truncate(true);
        let file = self.disk.open("texts.new", new).await?;
        let lines: String = self.texts.iter().map(|text| format!("{text}\n")).collect();
        file.write_at(0, lines).await?;
        file.sync_all().await?;
        self.disk.rename("texts.new", "texts").await?;
        if SYNCED {
            self.disk.sync_dir(".").await?;
        }
        Ok(())
    }
    // ANCHOR_END: put
}
