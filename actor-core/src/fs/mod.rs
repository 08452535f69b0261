//! Files, on which you put your own storage: real ones in production, and a disk that may lose what
//! was not synced under test.
//!
//! It is a small part of what `tokio::fs` offers, on a handle: [`System::disk`](crate::System::disk)
//! and [`Context::disk`](crate::Context::disk) give the [`Disk`] of the system. Every call is `async`.
//!
//! ```
//! use actor_core::fs::{Disk, OpenOptions};
//! use std::io;
//!
//! /// Replaces a file: whoever reads it finds the old content or the new, also after a crash.
//! async fn replace(disk: &Disk, content: &[u8]) -> io::Result<()> {
//!     let new = OpenOptions::new().write(true).create(true).truncate(true);
//!     let file = disk.open("settings.new", new).await?;
//!     file.write_at(0, content).await?;
//!     file.sync_all().await?;
//!     disk.rename("settings.new", "settings").await?;
//!     disk.sync_dir(".").await
//! }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let root = std::env::temp_dir().join(format!("actor-core-fs-{}", std::process::id()));
//! # let sys = actor_core::System::new();
//! # sys.as_live().unwrap().disk_at(&root)?;
//! # replace(&sys.disk(), b"colour = blue").await?;
//! # assert_eq!(std::fs::read(root.join("settings"))?, b"colour = blue");
//! # std::fs::remove_dir_all(&root)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Paths
//!
//! A path is relative to the disk's root, with slashes on every system. One that is absolute or goes up
//! with `..` is an error before anything happens. In production the root is a directory, named once
//! with [`LiveSystem::disk_at`](crate::LiveSystem::disk_at). What symbolic links in there point to is
//! not looked at.
//!
//! # In production
//!
//! Calls block, so they run on the threads that tokio keeps for that (`spawn_blocking`), or on a thread
//! each where the system runs on a pool of the `futures` crate. A call whose future is dropped goes on.
//!
//! # Under test
//!
//! Each call is a step of its own, and another before the handler goes on, so that everything that
//! others can do in between is tried. A crash keeps what was synced, and of the rest any part that a
//! real disk may keep; the book's page *Disks* says which.
//!
//! [`Journal`](crate::Journal) stands on it.

mod calling;
mod disk;
mod file;
mod path;

pub use crate::parts::disk::{DirEntry, OpenOptions};
pub use disk::{Disk, DiskFaults};
pub use file::File;

#[doc(hidden)]
pub use crate::parts::disk::{Answer, Call};
