//! Shared strings of a story, and their compact serialisation as numbers in a table.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A shared, immutable string.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Text(Arc<str>);

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<T: AsRef<str> + ?Sized> From<&T> for Text {
    fn from(text: &T) -> Self {
        Self(text.as_ref().into())
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

thread_local! {
    /// The numbers of the texts, while a value is packed.
    static PACKING: RefCell<Option<TextTable>> = const { RefCell::new(None) };
    /// The texts by number, while a value is unpacked.
    static UNPACKING: RefCell<Option<Vec<Text>>> = const { RefCell::new(None) };
}

#[derive(Default)]
struct TextTable {
    texts: Vec<Text>,
    numbers: BTreeMap<Text, u32>,
}

/// A packed value, and the table of its texts.
#[derive(Debug)]
pub(crate) struct Packed<T> {
    pub(crate) texts: Vec<Text>,
    pub(crate) rest: T,
}

/// Serialises by calling `serialise`, with numbers in place of texts.
pub(crate) fn packed<T>(serialise: impl FnOnce() -> T) -> Packed<T> {
    PACKING.set(Some(TextTable::default()));
    let rest = serialise();
    let table = PACKING.take().unwrap_or_default();
    Packed {
        texts: table.texts,
        rest,
    }
}

/// A guard: while it lives, numbers are deserialised as texts.
#[derive(Debug)]
pub(crate) struct Unpacking(());

impl Unpacking {
    pub(crate) fn with(texts: Vec<Text>) -> Self {
        UNPACKING.set(Some(texts));
        Self(())
    }
}

impl Drop for Unpacking {
    fn drop(&mut self) {
        UNPACKING.set(None);
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = PACKING.with_borrow_mut(|packing| {
            let table = packing.as_mut()?;
            let next = table.texts.len() as u32;
            let number = *table.numbers.entry(self.clone()).or_insert(next);
            if number == next {
                table.texts.push(self.clone());
            }
            Some(number)
        });
        match number {
            Some(number) => serializer.serialize_u32(number),
            None => serializer.serialize_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextReader)
    }
}

struct TextReader;

impl Visitor<'_> for TextReader {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text::from(text))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Text, E> {
        UNPACKING.with_borrow(|texts| {
            let Some(texts) = texts else {
                return Err(E::invalid_type(Unexpected::Unsigned(number), &self));
            };
            let found = usize::try_from(number).ok().and_then(|at| texts.get(at));
            found.cloned().ok_or_else(|| {
                let many = texts.len();
                E::custom(format_args!("there is no text {number}: there are {many}"))
            })
        })
    }
}
