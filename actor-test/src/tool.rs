//! The private interface of this crate to `cargo actor-test`, which depends on exactly this version.

pub use crate::data::snapshot;
pub use crate::declaration::parameters;
pub use crate::exploring::plan::StrategyTurn;
pub use crate::hosting::{environment, postmortem, process, protocol, run, watchdog};
pub use crate::report::words;
pub use crate::settings::{Settings, overrides};

pub mod debugging {
    //! Queries on a recorded execution, for the debugger.
    pub use crate::debugging::{Inquiry, QueryAnswer, Question, RunResult};
}

pub mod search_dir {
    //! The results in the directory of a search.
    pub use crate::exploring::checkpoint::{EndedPart, RecordedSearch, read_search_dir};
}

pub mod trace {
    //! Trace files on disk, and their JSON documents.
    pub use crate::trace::document::Document;
    pub use crate::trace::saved::{SCHEDULES, is_saved};
    pub use crate::trace::{Trace, directory, write_all};
}

pub mod wall_clock {
    //! The system's clock.
    pub use crate::wall_clock::{now, run_began};
}
