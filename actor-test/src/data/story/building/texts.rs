//! The texts of a story, each kept once.

use std::collections::BTreeSet;

use crate::data::marks;
use crate::data::story::Text;

/// How many bytes the different texts of a story have at most; what comes later is cut short.
const TEXTS_MAX: usize = 16 << 20;

/// How many bytes one text has at most.
const TEXT_MAX: usize = 64 << 10;

/// What is left of a text for which there is no room any more.
const TEXT_MIN: usize = 100;

/// Texts, each kept once, with names where actors were printed.
pub(super) struct Texts {
    /// What operations are called, by number.
    names: Vec<String>,
    known: BTreeSet<Text>,
    bytes: usize,
}

impl Texts {
    pub(super) fn new(names: Vec<String>) -> Self {
        Self {
            names,
            known: BTreeSet::new(),
            bytes: 0,
        }
    }

    /// What an operation is called.
    pub(super) fn name(&mut self, of: u32) -> Text {
        let name = self.names.get(of as usize);
        let name = name.map_or("?", String::as_str).to_owned();
        self.of(&name)
    }

    pub(super) fn of(&mut self, text: &str) -> Text {
        let text = marks::named(text, |of| self.names.get(of as usize));
        let most = match self.bytes < TEXTS_MAX {
            true => TEXT_MAX,
            false => TEXT_MIN,
        };
        let cut = shortened(&text, most);
        let text = Text::from(cut.as_deref().unwrap_or(&text));
        if let Some(known) = self.known.get(&text) {
            return known.clone();
        }
        self.bytes += text.len();
        self.known.insert(text.clone());
        text
    }
}

/// A text that is too long, with how much of it is missing.
fn shortened(text: &str, most: usize) -> Option<String> {
    (text.len() > most).then(|| {
        let end = text.floor_char_boundary(most);
        format!("{}… ({} bytes more)", &text[..end], text.len() - end)
    })
}
