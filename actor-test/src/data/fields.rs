//! Parser of `Debug` output: the fields of a printed value, and the differences between two values.
//!
//! A derived `Debug` prints `Account { balance: 5, log: [..] }`, with names, brackets and commas, and most
//! others print the same. Any other output becomes one field, so that nothing is lost.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

/// A value whose text is at most this long is one field, whatever its structure.
const SHORT: usize = 60;

/// The largest depth to which a value is split.
const DEPTH_MAX: usize = 32;

/// The largest number of fields of a value; the last ones are not split further.
const FIELDS_MAX: usize = 2_000;

/// A field: `balance`, `log[3].term`, `peers{"n1"}`. The name is empty for a value without fields, and for
/// the field that holds the type name of a value with fields.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct PrintedField {
    pub(crate) field: String,
    pub(crate) value: String,
}

/// The change of a field between two values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct FieldDifference {
    pub(crate) field: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// The fields of a value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    printed: String,
    list: Vec<PrintedField>,
}

impl Fields {
    /// Parses the fields of a printed value.
    pub(crate) fn of(printed: &str) -> Self {
        let mut list = Vec::new();
        take_apart(&DebugNode::of(printed, 0), String::new(), &mut list);
        Self {
            printed: printed.to_owned(),
            list,
        }
    }

    /// Returns true if these fields were parsed from that text.
    pub(crate) fn is_of(&self, printed: &str) -> bool {
        self.printed == printed
    }

    pub(crate) fn list(&self) -> Vec<PrintedField> {
        self.list.clone()
    }

    /// Returns the changes from these fields to `now`: first new and changed fields, then removed ones.
    pub(crate) fn differences(&self, now: &Self) -> Vec<FieldDifference> {
        let (before, after) = (self.by_name(), now.by_name());
        let other = now.list.iter().filter_map(|field| {
            let was = before.get(&*field.field).copied();
            (was != Some(&field.value)).then(|| FieldDifference {
                field: field.field.clone(),
                before: was.map(str::to_owned),
                after: Some(field.value.clone()),
            })
        });
        let gone = self.list.iter().filter_map(|field| {
            let is_gone = !after.contains_key(&*field.field);
            is_gone.then(|| FieldDifference {
                field: field.field.clone(),
                before: Some(field.value.clone()),
                after: None,
            })
        });
        other.chain(gone).collect()
    }

    fn by_name(&self) -> BTreeMap<&str, &str> {
        let fields = self.list.iter();
        fields.map(|field| (&*field.field, &*field.value)).collect()
    }
}

/// Returns the fields of a printed value at the path `at`, however short it is. The list is empty for a
/// value without parts, such as an empty list. A value without brackets, such as a number, gives `None`.
pub(crate) fn parts(at: &str, printed: &str) -> Option<Vec<PrintedField>> {
    let node = DebugNode::of(printed, 0);
    let mut list = Vec::new();
    if !node.parts.is_empty() {
        take_to_parts(&node, at.to_owned(), &mut list);
    }
    (node.bracket != ' ').then_some(list)
}

/// Appends the fields of a part with the path `at`.
fn take_apart(node: &DebugNode, at: String, list: &mut Vec<PrintedField>) {
    let text = node.text();
    let is_one = text.chars().count() <= SHORT && !at.is_empty();
    if node.parts.is_empty() || is_one || list.len() >= FIELDS_MAX {
        list.push(PrintedField {
            field: at,
            value: text,
        });
        return;
    }
    take_to_parts(node, at, list);
}

fn take_to_parts(node: &DebugNode, at: String, list: &mut Vec<PrintedField>) {
    let name = node.head.trim();
    if !name.is_empty() {
        list.push(PrintedField {
            field: at.clone(),
            value: name.to_owned(),
        });
    }
    for (number, part) in node.parts.iter().enumerate() {
        let place = match (node.bracket, &part.key) {
            ('{', Some(key)) if node.has_named_parts() && at.is_empty() => key.clone(),
            ('{', Some(key)) if node.has_named_parts() => format!("{at}.{key}"),
            ('{', Some(key)) => format!("{at}{{{key}}}"),
            ('{', None) => format!("{at}{{{}}}", part.node.text()),
            ('(', _) if at.is_empty() => number.to_string(),
            ('(', _) => format!("{at}.{number}"),
            _ => format!("{at}[{number}]"),
        };
        take_apart(&part.node, place, list);
    }
}

/// A parsed value: the text before its bracket, and the parts inside; or the whole text, without a bracket.
#[derive(Debug)]
struct DebugNode {
    head: String,
    bracket: char,
    parts: Vec<DebugPart>,
}

#[derive(Debug)]
struct DebugPart {
    /// The name of a field, or the key in a map.
    key: Option<String>,
    node: DebugNode,
}

impl DebugNode {
    fn of(text: &str, depth: usize) -> Self {
        let text = text.trim();
        Self::split(text, depth).unwrap_or_else(|| Self {
            head: text.to_owned(),
            bracket: ' ',
            parts: Vec::new(),
        })
    }

    fn split(text: &str, depth: usize) -> Option<Self> {
        let opening = Scan::of(text).find(|(_, letter, _)| "([{".contains(*letter))?;
        let (open, bracket, _) = opening;
        let close = match bracket {
            '(' => ')',
            '[' => ']',
            _ => '}',
        };
        let inside = text[open + 1..].strip_suffix(close)?;
        // A one-element tuple has a comma, so that other text in parentheses is no tuple.
        let is_remark = bracket == '(' && open == 0 && split_at_commas(inside).nth(1).is_none();
        if is_remark && !inside.ends_with(',') {
            return None;
        }
        if depth == DEPTH_MAX || !is_balanced(inside) {
            return None;
        }
        let head = &text[..open];
        let keyed = bracket == '{';
        let part = |text: &str| {
            let colon = keyed.then(|| split_at_colon(text)).flatten();
            let (key, value) = match colon {
                Some((key, value)) => (Some(Self::of(key, depth + 1).text()), value),
                None => (None, text),
            };
            DebugPart {
                key,
                node: Self::of(value, depth + 1),
            }
        };
        let mut parts: Vec<DebugPart> = split_at_commas(inside).map(part).collect();
        if keyed && head.trim().is_empty() {
            // Maps and sets without an order may print in another order in each process.
            parts.sort_by_cached_key(|part| {
                let key = part.key.clone().unwrap_or_else(|| part.node.text());
                (Number::of(&key), key)
            });
        }
        Some(Self {
            head: head.to_owned(),
            bracket,
            parts,
        })
    }

    /// Returns true for a struct or a variant, as opposed to a map.
    fn has_named_parts(&self) -> bool {
        !self.head.trim().is_empty()
    }

    fn text(&self) -> String {
        if self.bracket == ' ' {
            return self.head.clone();
        }
        let parts: Vec<String> = self
            .parts
            .iter()
            .map(|part| match &part.key {
                Some(key) => format!("{key}: {}", part.node.text()),
                None => part.node.text(),
            })
            .collect();
        let parts = parts.join(", ");
        let head = &self.head;
        match self.bracket {
            '(' => format!("{head}({parts})"),
            '[' => format!("{head}[{parts}]"),
            _ if head.is_empty() => format!("{{{parts}}}"),
            _ => format!("{head}{{ {parts} }}"),
        }
    }
}

/// A sort key: numbers in numeric order, before everything else.
#[derive(PartialEq, Eq)]
struct Number(Option<i128>);

impl Number {
    fn of(text: &str) -> Self {
        Self(text.parse().ok())
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |number: &Self| (number.0.is_none(), number.0);
        rank(self).cmp(&rank(other))
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An iterator over the characters outside of quotes, with their positions and the bracket depth before.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    depth: isize,
}

impl<'a> Scan<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }
}

impl Iterator for Scan<'_> {
    type Item = (usize, char, isize);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = self.at;
            let rest = &self.text[at..];
            let letter = rest.chars().next()?;
            if let Some(length) = quoted(rest) {
                self.at += length;
                continue;
            }
            self.at += letter.len_utf8();
            let depth = self.depth;
            match letter {
                '(' | '[' | '{' => self.depth += 1,
                ')' | ']' | '}' => self.depth -= 1,
                _ => {}
            }
            return Some((at, letter, depth));
        }
    }
}

/// Returns the length of a quoted string or character with which `rest` begins.
fn quoted(rest: &str) -> Option<usize> {
    let quote = rest
        .chars()
        .next()
        .filter(|letter| "\"'".contains(*letter))?;
    let mut is_escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        // A single quote may be an apostrophe: a quoted character is short.
        if quote == '\'' && at > "'\\u{10ffff}".len() {
            return None;
        }
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if letter == quote => return Some(at + 1),
            _ if quote == '\'' && at > 1 && !rest.starts_with("'\\") && at > 4 => return None,
            _ => {}
        }
    }
    None
}

fn is_balanced(text: &str) -> bool {
    let mut open = 0;
    for (_, letter, depth) in Scan::of(text) {
        open = depth
            + match letter {
                '(' | '[' | '{' => 1,
                ')' | ']' | '}' => -1,
                _ => 0,
            };
        if open < 0 {
            return false;
        }
    }
    open == 0
}

fn split_at_commas(text: &str) -> impl Iterator<Item = &str> {
    let commas = Scan::of(text).filter(|(_, letter, depth)| *letter == ',' && *depth == 0);
    let mut ends: Vec<usize> = commas.map(|(at, ..)| at).collect();
    ends.push(text.len());
    let mut from = 0;
    let parts = ends.into_iter().map(move |end| {
        let part = text[from..end].trim();
        from = end + 1;
        part
    });
    parts.filter(|part| !part.is_empty())
}

fn split_at_colon(text: &str) -> Option<(&str, &str)> {
    let is_colon = |(at, letter, depth): &(usize, char, isize)| {
        *letter == ':' && *depth == 0 && text[at + 1..].starts_with(' ')
    };
    let (at, ..) = Scan::of(text).find(is_colon)?;
    Some((&text[..at], &text[at + 2..]))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fmt::Debug;

    use super::Fields;

    fn fields(value: &impl Debug) -> Vec<String> {
        let fields = Fields::of(&format!("{value:?}"));
        let fields = fields.list.iter();
        fields
            .map(|field| format!("{}={}", field.field, field.value))
            .collect()
    }

    fn differences(before: &impl Debug, after: &impl Debug) -> Vec<String> {
        let before = Fields::of(&format!("{before:?}"));
        let changes = before.differences(&Fields::of(&format!("{after:?}")));
        let none = || "-".to_owned();
        let changes = changes.into_iter().map(|change| {
            let (before, after) = (change.before, change.after);
            let (before, after) = (before.unwrap_or_else(none), after.unwrap_or_else(none));
            format!("{}: {before} > {after}", change.field)
        });
        changes.collect()
    }

    #[derive(Clone, Debug)]
    #[expect(dead_code, reason = "they are printed")]
    struct Replica {
        role: Role,
        term: u64,
        log: Vec<Entry>,
        peers: BTreeMap<String, u32>,
        seen: BTreeSet<u32>,
        note: &'static str,
    }

    #[derive(Clone, Debug)]
    #[expect(dead_code, reason = "they are printed")]
    enum Role {
        Follower,
        Candidate { votes: u32 },
    }

    #[derive(Clone, Debug)]
    #[expect(dead_code, reason = "they are printed")]
    struct Entry {
        term: u64,
        text: String,
    }

    fn replica() -> Replica {
        Replica {
            role: Role::Follower,
            term: 1,
            log: Vec::new(),
            peers: BTreeMap::from([("n1".into(), 1)]),
            seen: BTreeSet::new(),
            note: "a, b: {(\"",
        }
    }

    #[test]
    fn short_values_are_one_field() {
        assert_eq!(
            fields(&replica()),
            [
                "=Replica",
                "role=Follower",
                "term=1",
                "log=[]",
                "peers={\"n1\": 1}",
                "seen={}",
                "note=\"a, b: {(\\\"\"",
            ]
        );
        let mut after = replica();
        after.role = Role::Candidate { votes: 1 };
        after.term = 2;
        assert_eq!(
            differences(&replica(), &after),
            ["role: Follower > Candidate { votes: 1 }", "term: 1 > 2",]
        );
    }

    #[test]
    fn long_values_are_told_by_their_parts() {
        let long = |number: u64| Entry {
            term: number,
            text: "long enough to be told by its parts".into(),
        };
        let mut before = replica();
        before.log = vec![long(1), long(2)];
        let mut after = before.clone();
        after.log[1].term = 7;
        assert_eq!(differences(&before, &after), ["log[1].term: 2 > 7"]);
        after.log.push(long(3));
        assert_eq!(
            differences(&before, &after),
            [
                "log[1].term: 2 > 7",
                "log[2]: - > Entry",
                "log[2].term: - > 3",
                "log[2].text: - > \"long enough to be told by its parts\"",
            ]
        );
        after.log.clear();
        assert!(differences(&before, &after).contains(&"log: - > []".to_owned()));
    }

    /// A map without an order prints its entries in another order in each process.
    #[test]
    fn the_order_of_a_map_does_not_matter() {
        let before = Fields::of("Names { all: {\"b\": 2, \"a\": 1}, few: {10, 9} }");
        let after = Fields::of("Names { all: {\"a\": 1, \"b\": 2}, few: {9, 10} }");
        assert_eq!(before.differences(&after), []);
        assert_eq!(before.list[2].value, "{9, 10}");
    }

    #[test]
    fn what_is_printed_otherwise_is_one_field() {
        for text in [
            "",
            "up",
            "don't (stop",
            "a) b (",
            "{",
            "\"",
            "x = (1, 2) so",
            "'(",
            "é(ü",
        ] {
            let fields = Fields::of(text);
            assert_eq!(fields.list.len(), 1, "{text}");
            assert_eq!(fields.list[0].value, text.trim(), "{text}");
        }
        assert_eq!(
            fields(&('(', '\'', 'é', "x")),
            ["0='('", "1='\\''", "2='é'", "3=\"x\""]
        );
    }

    #[test]
    fn neither_depth_nor_number_is_without_bounds() {
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(Fields::of(&deep).list.len(), 1);
        let wide = format!("{:?}", (0..100_000).collect::<Vec<u32>>());
        assert!(Fields::of(&wide).list.len() <= 100_000);
    }
}
