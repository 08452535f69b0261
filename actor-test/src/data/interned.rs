//! String interning: static names of the program, deserialised from a file of another process.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Returns the name with a static lifetime; each name is leaked once.
fn interned(name: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(name) {
        return known;
    }
    let kept = Box::leak(Box::<str>::from(name));
    known.insert(kept);
    kept
}

pub(crate) fn serialize<S: Serializer>(names: &[&str], serializer: S) -> Result<S::Ok, S::Error> {
    names.serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<&'static str>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    Ok(names.iter().map(|name| interned(name)).collect())
}

/// Interning of pairs of names.
pub(crate) mod pairs {
    use super::{Deserialize, Deserializer, Serialize, Serializer, interned};

    pub(crate) fn serialize<S: Serializer>(
        names: &[(&str, &str)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        names.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(&'static str, &'static str)>, D::Error> {
        let names = Vec::<(String, String)>::deserialize(deserializer)?;
        let kept = names
            .iter()
            .map(|(one, other)| (interned(one), interned(other)));
        Ok(kept.collect())
    }
}
