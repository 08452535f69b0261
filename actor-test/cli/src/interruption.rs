//! Interruption by ctrl-C or SIGTERM: running tests are cancelled, and results so far are reported.
//!
//! Children are in the same process group, so a terminal sends the signal to them as well. They end by the
//! signal, and all traces that they leave are complete. A child that does not end is killed.

use actor_test::tool::process;

use super::Exit;

/// Installs the handler: the first signal is recorded, the second one ends this process.
pub(crate) fn expect() {
    // If no handler can be installed, the signal ends this process, as by default.
    let _ = ctrlc::set_handler(|| {
        if process::interrupt() {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
}

/// Returns true after a signal.
pub(crate) fn is_seen() -> bool {
    process::is_interrupted()
}
