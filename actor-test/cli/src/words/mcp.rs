//! The words of the server for editors and agents.

/// A trace whose causes were not looked for, or not found.
pub(crate) fn no_causes() -> &'static str {
    "why it failed is not in the trace: it was not looked for, or nothing was found; the story tells what \
     happened"
}

/// A replay, in short, for who reads its outcome from nothing else.
pub(crate) fn replayed_clean() -> &'static str {
    "outcome: no bug any more"
}

/// The same, where the bug was found again.
pub(crate) fn replayed_again() -> &'static str {
    "outcome: the bug is still there"
}

/// The same, where the execution took another way, and did not end in that bug.
pub(crate) fn replayed_elsewhere() -> &'static str {
    "outcome: not as recorded, see the last lines"
}

/// A call of a tool that was given up.
pub(crate) fn given_up() -> &'static str {
    "it was given up, since it took too long or nobody wants it any more; ask for less, or raise \
     time_limit_s. By then:"
}

/// A child that ended without a word.
pub(crate) fn ended_without_words(code: Option<i32>) -> String {
    match code {
        Some(code) => format!("cargo-actor-test ended with exit code {code}, and said nothing"),
        None => "cargo-actor-test was killed, and said nothing".into(),
    }
}

/// A call of a tool that could not be answered.
pub(crate) fn our_mistake() -> &'static str {
    "it could not be answered; this is a mistake of actor-test, please report it, with what the server \
     has printed on standard error"
}
