//! Files, on which a program builds its own storage: real files in production; under test, a simulated disk
//! that may lose data that was not synced.
//!
//! The interface is a small part of `tokio::fs`, on a handle: [`Scope::disk`](crate::Scope::disk) returns
//! the [`Disk`] of the system. Every call is `async`.
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
//! # replace(&actor_core::Scope::disk(&sys), b"colour = blue").await?;
//! # assert_eq!(std::fs::read(root.join("settings"))?, b"colour = blue");
//! # std::fs::remove_dir_all(&root)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Paths
//!
//! A path is relative to the disk's root, with slashes on every system. A path that is absolute or goes up
//! with `..` is refused before anything happens. In production the root is a directory, set once with
//! [`LiveSystem::disk_at`](crate::LiveSystem::disk_at). Targets of symbolic links are not checked.
//!
//! # In production
//!
//! Calls block, so they run on tokio's threads for blocking work (`spawn_blocking`), or each on a thread of
//! its own if the system runs on a pool of the `futures` crate. A call whose future is dropped continues.
//!
//! # Under test
//!
//! Each call is a step of its own, and the handler continues in a later step, so that the tester tries
//! everything that others can do in between. A crash keeps synced data, and any part of the rest that a real
//! disk may keep; the book's page *Disks* lists the possibilities.
//!
//! [`Journal`](crate::journal::Journal) is built on this module.

mod call_future;
mod disk;
mod file;
mod path;

pub use crate::seam::disk::{DirEntry, OpenOptions};
pub use disk::{Disk, DiskFaults};
pub use file::File;

#[doc(hidden)]
pub use crate::seam::disk::{DiskOp, DiskOpResult};
