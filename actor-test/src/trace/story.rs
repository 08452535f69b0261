//! The story in a trace file: each text once, and its number wherever it is told.
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
//! But for the numbers it is the [document](crate::data::story) that `show --format json` prints. In
//! versions 1 and 2 it was a list of sentences, which are not read any more: a replay tells them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::file::json;
use crate::data::story::{Packed, Story, Unpacking, packed};

/// The value of a trace's `story`, with a line for each of its texts and steps.
pub(super) fn written(story: &Story) -> String {
    let Packed { texts, rest } = packed(|| {
        let Story {
            operations,
            monitors,
            messages,
            timers,
            left_out,
            looked_at,
            critical,
            steps,
        } = story;
        [
            ("operations", lines(operations)),
            ("monitors", lines(monitors)),
            ("messages", lines(messages)),
            ("timers", lines(timers)),
            ("left_out", json(left_out)),
            ("looked_at", lines(looked_at)),
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

/// Reads a trace's `story`.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Story, D::Error> {
    let mut story = Value::deserialize(deserializer)?;
    if story.is_array() {
        return Ok(Story::default());
    }
    let texts = story.get_mut("texts").map(Value::take).unwrap_or_default();
    let texts = Option::deserialize(texts)
        .map_err(|error| D::Error::custom(format_args!("the texts of its story: {error}")))?;
    let _reading = Unpacking::with(texts.unwrap_or_default());
    Story::deserialize(story).map_err(|error| D::Error::custom(format_args!("its story: {error}")))
}
