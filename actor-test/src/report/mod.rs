//! What is said of a test: data, verdicts and words.

pub(crate) mod bug;
pub(crate) mod coverage;
pub(crate) mod deny;
pub(crate) mod facts;
pub(crate) mod words;
