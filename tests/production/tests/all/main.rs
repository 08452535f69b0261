//! Tests of the production executor, in one executable, since each executable links everything again. Tests
//! that count allocations, must not wait for a thread, or replace something global are separate executables.
//! The public modules have monitors with states that are never entered.
#![allow(missing_docs)]

mod ask;
pub mod auto_traits;
#[cfg(feature = "codec")]
mod codec;
mod dead_letters;
mod detectors;
mod disks;
mod failures;
pub mod fingerprints;
mod floods;
mod groups_and_pools;
mod lending;
mod mailboxes;
#[cfg(feature = "metrics")]
mod metrics;
pub mod monitors;
mod names;
pub mod nodes;
mod order;
mod pipe_to_self;
mod random;
mod ref_counted;
mod references;
#[cfg(all(unix, feature = "top"))]
mod showing;
mod shutdown;
mod statuses;
mod streams;
mod supervision;
mod support;
#[cfg(feature = "futures")]
mod thread_pool;
mod threads;
mod timers;
mod watch;
