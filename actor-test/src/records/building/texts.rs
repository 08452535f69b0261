//! Text interning for a story: equal texts share one allocation.

use std::collections::BTreeSet;

use crate::data::story::Text;
use crate::records::marks;

/// The largest number of bytes of all different texts of a story; later texts are truncated.
const TEXTS_MAX: usize = 16 << 20;

const TEXT_MAX: usize = 64 << 10;

/// The largest number of bytes of a text once the texts of the story are full.
const TEXT_MIN: usize = 100;

/// The interned texts, in which names replace the placeholders of actors.
pub(super) struct Texts {
    names: Vec<String>,
    /// The names of shared objects.
    objects: Vec<String>,
    known: BTreeSet<Text>,
    bytes: usize,
}

impl Texts {
    pub(super) fn new(names: Vec<String>, objects: Vec<String>) -> Self {
        Self {
            names,
            objects,
            known: BTreeSet::new(),
            bytes: 0,
        }
    }

    pub(super) fn name(&mut self, of: u32) -> Text {
        let name = self.names.get(of as usize);
        let name = name.map_or("?", String::as_str).to_owned();
        self.of(&name)
    }

    pub(super) fn object(&mut self, of: u32) -> Text {
        let name = self.objects.get(of as usize);
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

/// Truncates a text that is too long, and appends the number of missing bytes.
fn shortened(text: &str, most: usize) -> Option<String> {
    (text.len() > most).then(|| {
        let end = text.floor_char_boundary(most);
        format!("{}… ({} bytes more)", &text[..end], text.len() - end)
    })
}
