//! Runs a test's executable as a child, with the environment that cargo provides.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::Trouble;
use super::discover::Test;
use actor_test::tool::environment;
use actor_test::tool::process::{self, ChildEnd, ChildJob, Conversation};
use actor_test::tool::protocol::ChildEvent;

pub(crate) fn run(
    test: &Test,
    job: &ChildJob,
    on_event: &mut dyn FnMut(&ChildEvent),
) -> Result<ChildEnd, Trouble> {
    let limit = hang_timeout(test, job);
    process::run(command(test), job, limit, on_event).map_err(Trouble)
}

/// Starts a child that answers questions.
pub(crate) fn converse(test: &Test, job: &ChildJob) -> Result<Conversation, Trouble> {
    let limit = hang_timeout(test, job);
    Conversation::begin(command(test), job, limit).map_err(Trouble)
}

/// Returns the command for the executable, in the package's directory and with cargo's variables.
fn command(test: &Test) -> Command {
    let package = &test.executable.package;
    let mut command = Command::new(&test.executable.path);
    command
        .current_dir(&package.directory)
        .env("CARGO_MANIFEST_DIR", &package.directory)
        .env("CARGO_MANIFEST_PATH", package.directory.join("Cargo.toml"))
        .env("CARGO_PKG_NAME", &package.name)
        .env("CARGO_PKG_VERSION", &package.version)
        .env(LIBRARY_PATH, library_path(test));
    command
}

/// Returns the time limit of a handler, from a flag, a variable or the manifest.
fn hang_timeout(test: &Test, job: &ChildJob) -> Duration {
    let manifest = || {
        environment::metadata(&test.executable.package.metadata)
            .ok()?
            .hang_timeout
    };
    job.given
        .hang_timeout
        .or_else(manifest)
        .unwrap_or(process::HANG_TIMEOUT)
}

#[cfg(target_os = "macos")]
const LIBRARY_PATH: &str = "DYLD_FALLBACK_LIBRARY_PATH";
#[cfg(windows)]
const LIBRARY_PATH: &str = "PATH";
#[cfg(not(any(target_os = "macos", windows)))]
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// Returns the search path for dynamic libraries: those built with the executable, then those already set.
fn library_path(test: &Test) -> OsString {
    let beside = test.executable.path.parent().map(Path::to_owned);
    let built = test.executable.libraries.iter().cloned();
    let set = std::env::var_os(LIBRARY_PATH).unwrap_or_default();
    let all = beside
        .into_iter()
        .chain(built)
        .chain(std::env::split_paths(&set));
    std::env::join_paths(all).unwrap_or(set.clone())
}
