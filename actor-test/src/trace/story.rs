//! The story in a trace file: each text is stored once and referred to by its number.
//!
//! ```json
//! "story": {
//!   "texts": ["test", "Account", "Withdraw(7)"],
//!   "operations": [{"name":0,"kind":"test","path":3}],
//!   "steps": [
//!     {"number":1,"time_ns":0,"who":0,"kind":"start"}
//!   ]
//! }
//! ```
//!
//! Apart from the numbers, the story is the [document](crate::data::story) that `show --format json` prints.
//! In versions 1 and 2 the story was a list of sentences, which are ignored now; a replay produces the story.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::file::json;
use crate::data::story::{Packed, Story, Text, packed};

/// Returns the value of a trace's `story`, with a line for each of its texts and steps.
pub(super) fn written(story: &Story) -> String {
    let Packed { texts, rest } = packed(|| {
        let Story {
            operations,
            monitors,
            messages,
            timers,
            left_out,
            inspected,
            remembered,
            critical,
            steps,
        } = story;
        [
            ("operations", lines(operations)),
            ("monitors", lines(monitors)),
            ("messages", lines(messages)),
            ("timers", lines(timers)),
            ("left_out", json(left_out)),
            ("looked_at", lines(inspected)),
            ("remembered", json(remembered)),
            ("critical", json(critical)),
            ("steps", lines(steps)),
        ]
    });
    let fields = std::iter::once(("texts", lines(&texts))).chain(rest);
    let is_there = |(_, value): &(&str, String)| value != "[]" && value != "null";
    let fields = fields.filter(|field| field.0 == "steps" || is_there(field));
    let fields: Vec<String> = fields
        .map(|(key, value)| format!("    \"{key}\": {value}"))
        .collect();
    format!("{{\n{}\n  }}", fields.join(",\n"))
}

fn lines(values: &[impl Serialize]) -> String {
    if values.is_empty() {
        return "[]".into();
    }
    let values: Vec<String> = values.iter().map(json).collect();
    format!("[\n      {}\n    ]", values.join(",\n      "))
}

/// The texts of a trace's story, without the rest of it.
pub(super) struct StoryTexts(pub(super) Vec<Text>);

impl<'de> Deserialize<'de> for StoryTexts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextsReader)
    }
}

struct TextsReader;

impl<'de> Visitor<'de> for TextsReader {
    type Value = StoryTexts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(STORY)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sentences: A) -> Result<StoryTexts, A::Error> {
        skip(sentences)?;
        Ok(StoryTexts(Vec::new()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<StoryTexts, A::Error> {
        let mut texts = Vec::new();
        while let Some(field) = fields.next_key::<StoryField>()? {
            match field {
                StoryField::Texts => texts = of_its_story(fields.next_value(), "the texts of ")?,
                StoryField::Other => _ = fields.next_value::<IgnoredAny>()?,
            }
        }
        Ok(StoryTexts(texts))
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum StoryField {
    Texts,
    #[serde(other)]
    Other,
}

/// Deserialises a trace's `story`, whose texts were read before.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Story, D::Error> {
    deserializer.deserialize_any(StoryReader)
}

struct StoryReader;

impl<'de> Visitor<'de> for StoryReader {
    type Value = Story;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(STORY)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sentences: A) -> Result<Story, A::Error> {
        skip(sentences)?;
        Ok(Story::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Story, A::Error> {
        of_its_story(Story::deserialize(MapAccessDeserializer::new(fields)), "")
    }
}

const STORY: &str = "a story";

fn skip<'de, A: SeqAccess<'de>>(mut sentences: A) -> Result<(), A::Error> {
    while sentences.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

fn of_its_story<T, E: Error>(read: Result<T, E>, part: &str) -> Result<T, E> {
    read.map_err(|error| E::custom(format_args!("{part}its story: {error}")))
}
