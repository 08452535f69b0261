//! Which calls of the environment's there are, over all executions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The calls by name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Calls(BTreeMap<String, CallObservation>);

/// What was seen of the calls of one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct CallObservation {
    /// One was made while calls might fail.
    is_made: bool,
    /// The test has said what they fail with.
    is_supplied: bool,
}

impl Calls {
    /// A call is made.
    pub(crate) fn made(&mut self, call: &str) {
        self.of(call).is_made = true;
    }

    /// The test says what a call fails with.
    pub(crate) fn supplied(&mut self, call: &str) {
        self.of(call).is_supplied = true;
    }

    fn of(&mut self, call: &str) -> &mut CallObservation {
        if !self.0.contains_key(call) {
            self.0.insert(call.to_owned(), CallObservation::default());
        }
        self.0.get_mut(call).expect("it was just inserted")
    }

    /// Adds what others have seen.
    pub(crate) fn add(&mut self, other: &Self) {
        for (call, seen) in &other.0 {
            let known = self.of(call);
            known.is_made |= seen.is_made;
            known.is_supplied |= seen.is_supplied;
        }
    }

    /// The calls that were made and can't fail, since the test does not say with what.
    pub(crate) fn unsupplied(&self) -> impl Iterator<Item = &str> {
        let such = self.0.iter().filter(|(_, seen)| !seen.is_supplied);
        such.map(|(call, _)| &**call)
    }

    /// The calls of which the test says what they fail with, and that were never made.
    pub(crate) fn never_made(&self) -> impl Iterator<Item = &str> {
        let such = self.0.iter().filter(|(_, seen)| !seen.is_made);
        such.map(|(call, _)| &**call)
    }
}
