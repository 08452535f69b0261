//! A stub for systems without interposition: threads get the system's own answers.

/// Does nothing, since there is no function to find.
pub(crate) fn find_clock() {}
