//! Ctrl-C, or being asked to end: what runs is given up, and what is known is told.
//!
//! Children are in the same group of processes, so that a terminal sends them the signal as well; they
//! end by it, and leave nothing behind but traces that are whole. A child that lives on is killed.

use actor_test::tool::process;

use super::Exit;

/// Has a first signal noted, and ends this process at a second one.
pub(crate) fn expect() {
    // Where no handler can be set, the signal ends this process, as it does without.
    let _ = ctrlc::set_handler(|| {
        if process::interrupt() {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
}

/// There was a signal.
pub(crate) fn is_seen() -> bool {
    process::is_interrupted()
}
