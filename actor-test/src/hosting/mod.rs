//! How one test meets its process: as a libtest test, or as the tool's child, with a watchdog beside.

pub(crate) mod attribute;
pub(crate) mod child;
pub(crate) mod environment;
pub(crate) mod protocol;
pub(crate) mod run;
pub(crate) mod wall_clock;
pub(crate) mod watchdog;
