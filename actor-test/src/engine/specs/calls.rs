//! Calls to the environment, over all executions: those made, and those that may fail.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Calls(BTreeMap<String, CallObservation>);

/// The observations of the calls of one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct CallObservation {
    /// True if one was made while calls might fail.
    is_made: bool,
    /// True if the test supplies an error for them.
    is_supplied: bool,
}

impl Calls {
    pub(crate) fn made(&mut self, call: &str) {
        self.of(call).is_made = true;
    }

    pub(crate) fn supplied(&mut self, call: &str) {
        self.of(call).is_supplied = true;
    }

    fn of(&mut self, call: &str) -> &mut CallObservation {
        if !self.0.contains_key(call) {
            self.0.insert(call.to_owned(), CallObservation::default());
        }
        self.0.get_mut(call).expect("it was just inserted")
    }

    /// Adds the observations of others.
    pub(crate) fn add(&mut self, other: &Self) {
        for (call, seen) in &other.0 {
            let known = self.of(call);
            known.is_made |= seen.is_made;
            known.is_supplied |= seen.is_supplied;
        }
    }

    /// Returns the calls that were made and can't fail, since the test supplies no error.
    pub(crate) fn unsupplied(&self) -> impl Iterator<Item = &str> {
        let such = self.0.iter().filter(|(_, seen)| !seen.is_supplied);
        such.map(|(call, _)| &**call)
    }

    /// Returns the calls for which the test supplies an error, and that were never made.
    pub(crate) fn never_made(&self) -> impl Iterator<Item = &str> {
        let such = self.0.iter().filter(|(_, seen)| !seen.is_made);
        such.map(|(call, _)| &**call)
    }
}
