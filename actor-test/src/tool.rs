//! The private interface of this crate to `cargo actor-test`, which depends on exactly this version.
//!
//! All of it is there without the feature `engine`, so that the tool builds in half the time.

pub use crate::data::{extent, snapshot, step, test_name};
pub use crate::parallel::map_ordered;
pub use crate::protocol;
pub use crate::protocol::{environment, inquiry, postmortem, process};
pub use crate::report::judged::{JudgedTest, TestOutcome};
pub use crate::report::words;
pub use crate::settings::strategy::StrategySpec;
pub use crate::settings::turn::StrategyTurn;
pub use crate::settings::{Settings, overrides};

pub mod search_dir {
    //! The results in the directory of a search.
    pub use crate::search_dir::{EndedPart, RecordedSearch, read_search_dir};
}

pub mod trace {
    //! Trace files on disk, and their JSON documents.
    pub use crate::trace::document::Document;
    pub use crate::trace::{SCHEDULES, Trace, directory, is_saved, write_all};
}

pub mod wall_clock {
    //! The system's clock.
    pub use crate::wall_clock::{now, run_began};
}
