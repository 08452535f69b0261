//! Interning: consecutive numbers for distinct values, [`Numbered`].

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Numbers distinct values in the order of insertion.
#[derive(Debug)]
pub(super) struct Numbered<T: ?Sized> {
    all: Vec<Arc<T>>,
    numbers: BTreeMap<Arc<T>, u32>,
}

impl<T: ?Sized + Ord> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            numbers: BTreeMap::new(),
        }
    }
}

impl<T: ?Sized + Ord> Numbered<T>
where
    for<'a> Arc<T>: From<&'a T>,
{
    pub(super) fn number(&mut self, what: &T) -> u32 {
        if let Some(number) = self.numbers.get(what) {
            return *number;
        }
        let number = self.all.len() as u32;
        let what: Arc<T> = what.into();
        self.all.push(Arc::clone(&what));
        self.numbers.insert(what, number);
        number
    }
}

impl<T: ?Sized> Numbered<T> {
    pub(super) fn all(&self) -> impl Iterator<Item = &T> {
        self.all.iter().map(AsRef::as_ref)
    }

    pub(super) fn get(&self, number: u32) -> &T {
        &self.all[number as usize]
    }
}

impl<T: Serialize> Serialize for Numbered<[T]> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.all())
    }
}

impl<'de, T: Clone + Ord + Deserialize<'de>> Deserialize<'de> for Numbered<[T]> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut numbered = Self::default();
        for value in Vec::<Vec<T>>::deserialize(deserializer)? {
            numbered.number(&value);
        }
        Ok(numbered)
    }
}
