//! A record without a checksum: a partly written record passes as a whole one.

use std::io;

use actor_core::fs::{Disk, File, OpenOptions};

use super::Storage;

/// For each text: its length, the checksum if there is one, and the text.
pub(super) struct Framed<const CHECKED: bool> {
    file: File,
    end: u64,
}

fn checksum(text: &[u8]) -> u32 {
    // FNV-1a is enough for a sample; `Journal` uses a CRC.
    let step = |sum: u32, byte: &u8| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    text.iter().fold(0x811c_9dc5, step)
}

impl<const CHECKED: bool> Storage for Framed<CHECKED> {
    async fn open(disk: Disk) -> io::Result<(Self, Vec<String>)> {
        let options = OpenOptions::new().read(true).write(true).create(true);
        let file = disk.open("framed", options).await?;
        disk.sync_dir(".").await?;
        let content = file.read_at(0, 1 << 20).await?;
        let (mut texts, mut rest) = (Vec::new(), &content[..]);
        // ANCHOR: open
        while let Some((header, after)) = rest.split_at_checked(5) {
            let Some((text, after)) = after.split_at_checked(usize::from(header[0])) else {
                break;
            };
            if header[0] == 0 || CHECKED && header[1..] != checksum(text).to_le_bytes() {
                break;
            }
            texts.push(String::from_utf8_lossy(text).into_owned());
            rest = after;
        }
        // ANCHOR_END: open
        // The torn tail is cut off, so that later records do not follow its remains.
        let end = (content.len() - rest.len()) as u64;
        file.set_len(end).await?;
        file.sync_data().await?;
        Ok((Self { file, end }, texts))
    }

    async fn put(&mut self, text: &str) -> io::Result<()> {
        let mut record = vec![text.len() as u8];
        record.extend(checksum(text.as_bytes()).to_le_bytes());
        record.extend(text.as_bytes());
        let len = record.len() as u64;
        self.file.write_at(self.end, record).await?;
        self.file.sync_data().await?;
        self.end += len;
        Ok(())
    }
}
