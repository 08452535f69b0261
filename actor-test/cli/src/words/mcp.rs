//! The texts of the MCP server.

/// A trace whose causes were not searched for, or not found.
pub(crate) fn no_causes() -> &'static str {
    "why it failed is not in the trace: it was not searched for, or nothing was found; the story shows what \
     happened"
}

/// The outcome of a replay without the bug, for agents.
pub(crate) fn replayed_clean() -> &'static str {
    "outcome: no bug any more"
}

/// The outcome of a replay with the bug.
pub(crate) fn replayed_again() -> &'static str {
    "outcome: the bug is still there"
}

/// The outcome of a replay that diverged and did not end in the bug.
pub(crate) fn replay_diverged() -> &'static str {
    "outcome: not as recorded, see the last lines"
}

/// A call that was cancelled.
pub(crate) fn given_up() -> &'static str {
    "it was given up, since it took too long or nobody wants it any more; ask for less, or raise \
     time_limit_s. By then:"
}

/// A child that ended without output.
pub(crate) fn ended_without_words(code: Option<i32>) -> String {
    match code {
        Some(code) => format!("cargo-actor-test ended with exit code {code}, and said nothing"),
        None => "cargo-actor-test was killed, and said nothing".into(),
    }
}

/// A call that failed by a bug of the server.
pub(crate) fn our_mistake() -> &'static str {
    "it could not be answered; this is a mistake of actor-test, please report it, with what the server \
     has printed on standard error"
}
