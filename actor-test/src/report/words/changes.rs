//! Formats the changes of an actor's fields in a step as text.

use super::count;
use super::escape::{differing, shortened};
use crate::data::fields;
use crate::data::story::{Change, Text};

/// The largest number of changes of a step that are shown one by one.
const CHANGES: usize = 8;

/// The largest number of changes that are inspected.
const COMPARED_MAX: usize = 1_000;

pub(super) fn listed(all: &[Change]) -> Option<String> {
    let mut listed: Vec<String> = Vec::new();
    let changes = part_by_part(&all[..all.len().min(COMPARED_MAX)]);
    // The parts of a value that is gone or replaced are left out.
    let went = |part: &&Change| {
        let whole = |whole: &Change| !is_new(whole) && lies_in(part, whole);
        part.after.is_none() && changes.iter().any(whole)
    };
    let kept: Vec<&Change> = changes.iter().filter(|change| !went(change)).collect();
    let mut rest = &kept[..];
    while let Some((first, others)) = rest.split_first() {
        // The parts of a new value are shown with that value.
        let parts = match is_new(first) {
            true => others
                .iter()
                .take_while(|part| is_new(part) && lies_in(part, first))
                .count(),
            false => 0,
        };
        let inner: Vec<String> = others[..parts]
            .iter()
            .map(|part| part_of(part, first))
            .collect();
        listed.push(match inner.is_empty() {
            true => change(first),
            false => format!("{} {{ {} }}", change(first), inner.join(", ")),
        });
        rest = &others[parts..];
    }
    let others = all.len().saturating_sub(COMPARED_MAX);
    let more = match listed.len().saturating_sub(CHANGES) + others {
        0 => String::new(),
        more => format!(", and {}", count(more as u64, "more change")),
    };
    listed.truncate(CHANGES);
    (!listed.is_empty()).then(|| format!("{}{more}", listed.join(", ")))
}

fn is_new(change: &Change) -> bool {
    change.before.is_none() && change.after.is_some()
}

fn lies_in(part: &Change, whole: &Change) -> bool {
    let inner = part.field.strip_prefix(&*whole.field);
    inner.is_some_and(|inner| inner.starts_with(['.', '[', '{']))
}

fn part_of(part: &Change, whole: &Change) -> String {
    let inner = part.field.strip_prefix(&*whole.field).unwrap_or_default();
    let value = part.after.as_deref().map(shortened).unwrap_or_default();
    format!("{}: {value}", shortened(inner.trim_start_matches('.')))
}

fn change(change: &Change) -> String {
    let field = match &*change.field {
        "" => "value".into(),
        field => shortened(field),
    };
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => {
            let (before, after) = differing(before, after);
            format!("{field}: {before} → {after}")
        }
        (None, Some(after)) => format!("{field}: + {}", shortened(after)),
        (Some(before), None) => format!("{field}: − {}", shortened(before)),
        (None, None) => field,
    }
}

/// Splits changes into parts if a value was short enough for one field before and is too long now, or the
/// reverse. So a list that has grown shows only its new element.
fn part_by_part(changes: &[Change]) -> Vec<Change> {
    let backwards = |changes: Vec<Change>| changes.into_iter().map(Change::backwards).collect();
    let grown = of_grown(changes.to_vec());
    backwards(of_grown(backwards(grown)))
}

/// The largest number of values per step that are split.
const GROWN_MAX: usize = 64;

/// Splits a value that was one field before, if its parts are fields now, and those parts in turn.
fn of_grown(mut changes: Vec<Change>) -> Vec<Change> {
    for _ in 0..GROWN_MAX {
        let parts = |whole: &Change| {
            let is_part = |part: &Change| is_new(part) && lies_in(part, whole);
            let before = whole.before.as_deref()?;
            let has_grown = changes.iter().any(is_part);
            has_grown.then(|| fields::parts(&whole.field, before))?
        };
        let grown = changes.iter().enumerate();
        let mut grown = grown.filter_map(|(place, whole)| Some((place, parts(whole)?)));
        let Some((place, parts)) = grown.next() else {
            break;
        };
        // The remaining value is the name before the parts, if any.
        changes[place].before = None;
        for part in parts {
            match changes
                .iter_mut()
                .find(|change| change.field == *part.field)
            {
                Some(change) => change.before = Some(Text::from(&part.value)),
                None => changes.push(Change {
                    field: Text::from(&part.field),
                    before: Some(Text::from(&part.value)),
                    after: None,
                }),
            }
        }
        changes.retain(|change| change.before != change.after);
    }
    changes
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::listed;
    use crate::data::fields::Fields;
    use crate::data::story::{Change, Text};

    #[derive(Clone, Debug)]
    #[expect(dead_code, reason = "they are printed")]
    struct Server {
        requests: Vec<Request>,
    }

    #[derive(Clone, Debug)]
    #[expect(dead_code, reason = "they are printed")]
    struct Request {
        number: u64,
        text: &'static str,
    }

    fn server(requests: &[(u64, &'static str)]) -> Server {
        let request = |(number, text): &(u64, &'static str)| Request {
            number: *number,
            text,
        };
        Server {
            requests: requests.iter().map(request).collect(),
        }
    }

    fn between(before: &impl Debug, after: &impl Debug) -> String {
        let of = |value: &dyn Debug| Fields::of(&format!("{value:?}"));
        let differences = of(before).differences(&of(after));
        let changes = differences.iter().map(|difference| Change {
            field: Text::from(&difference.field),
            before: difference.before.as_ref().map(Text::from),
            after: difference.after.as_ref().map(Text::from),
        });
        let changes: Vec<Change> = changes.collect();
        listed(&changes).unwrap_or_default()
    }

    const LONG: &str = "a text that is too long for all to be one field";

    #[test]
    fn a_list_that_grows_has_one_element_more() {
        let lists = [
            vec![],
            vec![(1, "a request")],
            vec![(1, "a request"), (2, "another request")],
            vec![(1, "a request"), (2, "another request"), (3, "one more")],
        ];
        let servers: Vec<Server> = lists.iter().map(|list| server(list)).collect();
        let one = "Request { number: 1, text: \"a request\" }";
        let two = "Request { number: 2, text: \"another request\" }";
        let three = "Request { number: 3, text: \"one more\" }";
        assert_eq!(
            between(&servers[0], &servers[1]),
            format!("requests: [] → [{one}]")
        );
        assert_eq!(
            between(&servers[1], &servers[2]),
            format!("requests[1]: + {two}")
        );
        assert_eq!(
            between(&servers[2], &servers[3]),
            format!("requests[2]: + {three}")
        );
        assert_eq!(
            between(&servers[2], &servers[1]),
            format!("requests[1]: − {two}")
        );
        let both = format!("requests[0]: + {one}, requests[1]: + {two}");
        assert_eq!(between(&servers[0], &servers[2]), both);
        let neither = format!("requests[0]: − {one}, requests[1]: − {two}");
        assert_eq!(between(&servers[2], &servers[0]), neither);
        // The first one is removed, and the others move up.
        let moved = server(&lists[2][1..]);
        let up = "requests[0]: Request { number: 1, text: \"a request\" } → Request { number: 2, text: \"another \
                  request\" }";
        let listed = between(&servers[2], &moved);
        assert!(
            listed.starts_with(up) && listed.ends_with(&format!("requests[1]: − {two}")),
            "{listed}"
        );
    }

    #[test]
    fn what_grows_within_an_element_is_told_alone() {
        let (short, long) = (server(&[(1, "short")]), server(&[(1, LONG)]));
        let text = format!("requests[0].text: \"short\" → \"{LONG}\"");
        assert_eq!(between(&short, &long), text);
        let back = format!("requests[0].text: \"{LONG}\" → \"short\"");
        assert_eq!(between(&long, &short), back);
    }
}
