//! Fuzzing of traces: arbitrary bytes and mutated traces must lead to an error or to a bounded story.
//!
//! The fuzzer calls [`feed`], and so does a test with reproducible bytes.

use std::fmt::Write as _;
use std::io::{self, Write};

use actor_test::story::{Selection, Story};
use actor_test::tool::trace::{Document, Trace};
use serde_json::{Map, Value};

use super::{mermaid, page};
use crate::words;

/// The traces of samples that are mutated.
const SEEDS: [&str; 4] = [
    include_str!("cache.json"),
    include_str!("payments.json"),
    include_str!("stock.json"),
    include_str!("treasure.json"),
];

/// Texts that attack pages, terminals and diagrams.
const TEXTS: [&str; 10] = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\u{1b}]0;title\u{7}\u{1b}[2J",
    "\u{202e}gnihtemos\u{2066}",
    "%%{init: {}}%%\nend\nparticipant a as b;",
    "../../../../etc/passwd",
    "\n{\"a\":1}\n(?<event>.*)\n",
    "@@STORY@@",
    "",
    "\u{0}",
];

/// The maximum number of output bytes: per input byte, and in addition.
const ALLOWED_PER_BYTE: usize = 400;
const ALLOWED: usize = 1 << 20;

/// The maximum number of values in a trace that is mutated further. A mutation may copy a part of the trace,
/// so a few mutations could make a trace arbitrarily large.
const VALUES_MAX: usize = 50_000;

/// The maximum size of a document that is written into a page.
const PAGED_MAX: usize = 4 << 20;

/// Reads a trace and prints it in all formats. Bytes that begin like JSON are the trace; other bytes describe
/// mutations of one of the samples' traces.
pub fn feed(bytes: &[u8]) {
    match bytes.first() {
        None => {}
        Some(b'{') => tell(bytes, 0),
        Some(seed) => {
            let mut script = Script(&bytes[1..]);
            let seed = SEEDS[usize::from(*seed) % SEEDS.len()];
            let mut trace: Value = serde_json::from_str(seed).expect("a trace is JSON");
            let part = script.number();
            script.change(&mut trace);
            tell(trace.to_string().as_bytes(), part);
        }
    }
}

/// A script of numbers that describe mutations.
struct Script<'a>(&'a [u8]);

impl Script<'_> {
    fn number(&mut self) -> usize {
        let (number, rest) = match self.0 {
            [one, other, rest @ ..] => (u16::from_le_bytes([*one, *other]), rest),
            rest => (0, &rest[rest.len()..]),
        };
        self.0 = rest;
        usize::from(number)
    }

    fn change(&mut self, trace: &mut Value) {
        // Forty mutations suffice for any mistake.
        for _ in 0..40 {
            if self.0.len() < 4 || count(trace) > VALUES_MAX {
                return;
            }
            let (which, how) = (self.number(), self.number());
            // A changed decision is always rejected, so other parts are changed more often.
            let part = match which % 16 {
                0 => Some(&mut *trace),
                1 => trace.get_mut("causes"),
                2 => trace.get_mut("finding"),
                _ => trace.get_mut("story"),
            };
            let Some(part) = part else { continue };
            let all = count(part);
            let other = nth(part, &mut (how * 31 % all)).map(|found| found.clone());
            if let Some(found) = nth(part, &mut (which / 16 * 31 % all)) {
                change(found, how, other);
            }
        }
    }
}

/// Mutates a part of a trace.
fn change(found: &mut Value, how: usize, other: Option<Value>) {
    // Most values are numbers that refer to something, so usually another number is set.
    if found.is_number() && !how.is_multiple_of(4) {
        *found = (how % 41).into();
        return;
    }
    let small = how / 16;
    *found = match how % 16 {
        0 => Value::Null,
        1 => u64::MAX.into(),
        2 => (-1).into(),
        3 => u32::MAX.into(),
        4 => 1e300.into(),
        5 => true.into(),
        6 => Value::Array(Vec::new()),
        7 => Value::Object(Map::new()),
        8 => "x<&".repeat(small % 30_000).into(),
        9 => (0..small % 200).fold(Value::Null, |inner, _| vec![inner].into()),
        10 => small.into(),
        11 | 12 => TEXTS[small % TEXTS.len()].into(),
        13 => match found.take() {
            Value::Array(mut values) => {
                let again = values.clone();
                let all: usize = again.iter().map(count).sum();
                (0..(small % 50).min(5_000 / (all + 1)))
                    .for_each(|_| values.extend(again.iter().cloned()));
                values.into()
            }
            Value::Object(mut fields) => {
                let gone = fields.keys().nth(small % (fields.len().max(1))).cloned();
                gone.and_then(|gone| fields.remove(&gone));
                fields.into()
            }
            value => value,
        },
        _ => other.unwrap_or_default(),
    };
}

/// Returns the number of values in a value, including itself.
fn count(value: &Value) -> usize {
    1 + parts(value).map(count).sum::<usize>()
}

fn parts(value: &Value) -> impl Iterator<Item = &Value> {
    let (values, fields) = match value {
        Value::Array(values) => (Some(values), None),
        Value::Object(fields) => (None, Some(fields)),
        _ => (None, None),
    };
    let fields = fields.into_iter().flat_map(Map::values);
    values.into_iter().flatten().chain(fields)
}

/// Returns the value at the index `left` in depth-first order.
fn nth<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(values) => values.iter_mut().find_map(|value| nth(value, left)),
        Value::Object(fields) => fields.values_mut().find_map(|value| nth(value, left)),
        _ => None,
    }
}

/// Reads a trace and prints it in all formats, if it can be read.
fn tell(bytes: &[u8], part: usize) {
    let trace = match Trace::parse("trace.json", bytes) {
        Ok(trace) => trace,
        Err(error) => {
            let error = error.to_string();
            assert!(error.len() < 10_000, "a long error: {} bytes", error.len());
            return acts_on_nothing(&error);
        }
    };
    let story = match select(trace.story(), part) {
        Ok(story) => story,
        Err(error) => {
            assert!(error.len() < ALLOWED + ALLOWED_PER_BYTE * bytes.len());
            trace.story().clone()
        }
    };
    let room = ALLOWED + ALLOWED_PER_BYTE * bytes.len();
    let fits = |text: &str| {
        assert!(text.len() <= room, "{} of {}", text.len(), bytes.len());
        acts_on_nothing(text);
    };
    let mut text = words::trace_head(&trace);
    for all in [true, false] {
        for line in words::story_lines(&story, 60 + part % 200, all) {
            let _ = writeln!(text, "{line}");
        }
    }
    let causes = trace.causes().map_or_else(Vec::new, words::causes);
    fits(&(text + &causes.join("\n")));
    fits(&mermaid::diagram(&trace, &story, false));
    write_page(&Document::of(&trace, &story));
}

/// Returns a part of a story, selected by a number.
fn select(story: &Story, part: usize) -> Result<Story, String> {
    let mut selection = Selection::default();
    let step = (part / 8) as u64;
    match part % 8 {
        1 => selection.from = Some(step),
        2 => selection.to = Some(step),
        3 => selection.causes_of = Some(step),
        4 => selection.actor = story.operations.first().map(|one| one.name.to_string()),
        5 => selection.event = story.messages.first().map(|one| one.event.to_string()),
        6 => (selection.from, selection.to) = (Some(step / 2), Some(step)),
        _ => {}
    }
    selection.of(story)
}

/// Checks that a text has no letter that affects a terminal.
fn acts_on_nothing(text: &str) {
    let acts = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    let turns = |letter| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let found = text.find(|letter| acts(letter) || turns(letter));
    assert_eq!(found, None, "{text}");
}

/// Writes the page of a document up to a size, and checks that the document contains no markup.
fn write_page(document: &Document<'_>) {
    let mut paged = Paged::default();
    let written = page::write(&mut paged, &mut |page| {
        Ok(serde_json::to_writer(page, document)?)
    });
    if written.is_ok() {
        let before = include_str!("../../page/page.html").split_once("@@STORY@@");
        let (before, after) = before.expect("there is a place for the story");
        let document = paged.0.strip_prefix(before.as_bytes());
        let document = document.and_then(|rest| rest.strip_suffix(after.as_bytes()));
        let document = document.expect("what is around the story stays as it is");
        assert!(!document.iter().any(|byte| b"<>&".contains(byte)));
        assert!(serde_json::from_slice::<serde::de::IgnoredAny>(document).is_ok());
    }
}

#[derive(Default)]
struct Paged(Vec<u8>);

impl Write for Paged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() > PAGED_MAX {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns reproducible bytes of Knuth's linear congruential generator.
    fn bytes(mut state: u64, many: usize) -> Vec<u8> {
        let byte = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005);
            state = state.wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..many).map(byte).collect()
    }

    /// The samples' traces can be printed; otherwise mutated traces would test nothing.
    #[test]
    fn the_traces_can_be_told() {
        for seed in SEEDS {
            let trace = Trace::parse("trace.json", seed.as_bytes()).expect("a trace");
            assert!(!trace.story().is_empty());
            feed(seed.as_bytes());
        }
    }

    /// A regression of the fuzzer: 247 bytes made a trace so large that a mutation took two seconds.
    #[test]
    fn a_script_makes_no_trace_too_large() {
        let large = |values: usize| Value::from(vec![0; values]);
        let grown = |mut value: Value, how| {
            change(&mut value, how, None);
            count(&value)
        };
        let (again, many_times) = (13, 13 + 16 * 49);
        assert_eq!(grown(large(10), many_times), 10 * 50 + 1);
        assert_eq!(grown(vec![large(4_000); 10].into(), many_times), 40_011);
        assert_eq!(grown(large(10), again), 11);
        // A large trace is not mutated further.
        for (values, is_changed) in [(100, true), (VALUES_MAX, false)] {
            let before = serde_json::json!({ "story": large(values) });
            let mut trace = before.clone();
            Script(&[3, 0, 6, 0]).change(&mut trace);
            assert_eq!(trace != before, is_changed, "{values}");
        }
    }

    #[test]
    fn changed_traces_do_no_harm() {
        let mut readable = 0;
        for run in 0..300 {
            let script = bytes(run, 2 + 4 * (run as usize % 9) + 2);
            let seed = SEEDS[usize::from(script[0]) % SEEDS.len()];
            let mut trace: Value = serde_json::from_str(seed).expect("a trace is JSON");
            Script(&script[3..]).change(&mut trace);
            readable += u32::from(Trace::parse("", trace.to_string().as_bytes()).is_ok());
            if script[0] != b'{' {
                feed(&script);
            }
        }
        assert!(
            readable > 50,
            "most can't be read, so that nothing is tested: {readable}"
        );
    }

    /// A text in an access to a shared object, and in a fault, is escaped.
    #[test]
    fn what_is_shared_or_fails_acts_on_nothing() {
        let mut trace: Value = serde_json::from_str(SEEDS[1]).expect("a trace is JSON");
        let story = &mut trace["story"];
        let texts = story["texts"].as_array_mut().expect("its texts");
        let number = texts.len();
        texts.push("\u{1b}[2J\u{202e}".into());
        story["steps"][1]["effects"] = serde_json::json!([
            { "effect": "accessed", "what": number, "object": number, "place": number },
            { "effect": "fault", "fault": number, "node": number, "links": [[number, number]] },
            { "effect": "clock", "node": number, "ahead_ns": 1, "drift_ppb": 0 },
        ]);
        let read = Trace::parse("", trace.to_string().as_bytes()).expect("a trace");
        let text = words::story_lines(read.story(), 400, true).join("\n");
        assert!(text.contains("\\u{1b}[2J\\u{202e}"), "{text}");
        tell(trace.to_string().as_bytes(), 0);
    }

    /// Letters are removed, changed and inserted.
    #[test]
    fn damaged_traces_do_no_harm() {
        for run in 0..300 {
            let seed = SEEDS[run as usize % SEEDS.len()].as_bytes();
            let mut trace = seed.to_vec();
            for place in bytes(run, 12).chunks_exact(4) {
                let at = usize::from(u16::from_le_bytes([place[0], place[1]])) % trace.len();
                match place[2] % 4 {
                    0 => trace[at] = place[3],
                    1 => _ = trace.remove(at),
                    2 => trace.insert(at, b"{}[]\",:0"[usize::from(place[3]) % 8]),
                    _ if at > 0 && run % 5 == 0 => trace.truncate(at),
                    _ => {}
                }
            }
            tell(&trace, run as usize);
        }
    }
}
