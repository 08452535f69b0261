//! What `cargo actor-test` uses of this crate, and nobody else: no part of its API. The tool wants
//! exactly this version.

pub use crate::data::snapshot;
pub use crate::declaration::parameters;
pub use crate::exploring::plan::Turn;
pub use crate::hosting::{environment, postmortem, process, protocol, run, watchdog};
pub use crate::report::words;
pub use crate::settings::overrides;

pub mod debugging {
    //! What the debugger asks of a recorded execution.
    pub use crate::debugging::{Answer, Inquiry, Question, Ran};
}

pub mod trace {
    //! Traces on disk, and as documents.
    pub use crate::trace::document::Document;
    pub use crate::trace::saved::{SCHEDULES, is_saved};
    pub use crate::trace::{Trace, directory, write_all};
}

pub mod wall_clock {
    //! The clock of people.
    pub use crate::wall_clock::{now, run_began};
}
