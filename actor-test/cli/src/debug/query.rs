//! Name lookup in a story: actors, monitors, events and fields, with suggestions.

use std::collections::BTreeSet;

use actor_test::story::{OperationKind, Step, Story};
use actor_test::tool::step::StepKind;

/// Returns the operations of that name, or else of that type.
pub(super) fn actors(story: &Story, name: &str) -> Result<BTreeSet<u32>, String> {
    let numbered = || (0..).zip(&story.operations);
    let mut found: BTreeSet<u32> = numbered()
        .filter(|(_, known)| &*known.name == name)
        .map(|(number, _)| number)
        .collect();
    if found.is_empty() {
        let is_of = |of_type: &str| of_type == name;
        let typed = numbered().filter(|(_, known)| known.of_type.as_deref().is_some_and(is_of));
        found = typed.map(|(number, _)| number).collect();
    }
    if found.is_empty() {
        let known = numbered().map(|(_, known)| known.name.to_string());
        return Err(format!("nobody is called `{name}`{}", nearest(known, name)));
    }
    Ok(found)
}

pub(super) fn monitor(story: &Story, name: &str) -> Result<u32, String> {
    let found = (0..)
        .zip(&story.monitors)
        .find(|(_, known)| &*known.name == name);
    found.map(|(number, _)| number).ok_or_else(|| {
        let known = story.monitors.iter().map(|known| known.name.to_string());
        format!(
            "no monitor or predicate is called `{name}`{}",
            nearest(known, name)
        )
    })
}

/// Checks that the story has an event of that name.
pub(super) fn event(story: &Story, name: &str) -> Result<(), String> {
    let known: BTreeSet<&str> = story
        .messages
        .iter()
        .map(|known| name_of(&known.event))
        .collect();
    match known.contains(name) {
        true => Ok(()),
        false => {
            let known = known.into_iter().map(str::to_owned);
            Err(format!(
                "nobody sends an event `{name}`{}",
                nearest(known, name)
            ))
        }
    }
}

/// Returns the type name with which a printed event begins.
pub(super) fn name_of(event: &str) -> &str {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let end = event.find(|letter| !is_name(letter)).unwrap_or(event.len());
    &event[..end]
}

/// Returns true if `field` is the field `whole`, or a part of it.
pub(super) fn is_part(field: &str, whole: &str) -> bool {
    let inner = field.strip_prefix(whole);
    inner.is_some_and(|inner| inner.is_empty() || inner.starts_with(['.', '[', '{']))
}

/// Returns true if a step runs code of its operation.
pub(super) fn runs(step: &Step) -> bool {
    matches!(
        step.kind,
        StepKind::Start | StepKind::Handle | StepKind::Resume | StepKind::Stop | StepKind::Access
    )
}

/// Returns true if a step sends, handles or fires an event of that name, from or to one of `of` if given.
pub(super) fn carries(story: &Story, step: &Step, name: &str, of: Option<&BTreeSet<u32>>) -> bool {
    let mut messages = step.message.into_iter().chain(step.sent());
    messages.any(|number| {
        story.message(number).is_some_and(|message| {
            let concerns = |of: &BTreeSet<u32>| of.contains(&step.who) || of.contains(&message.to);
            name_of(&message.event) == name && of.is_none_or(concerns)
        })
    })
}

/// Returns all names that may be arguments of commands.
pub(super) fn names(story: &Story) -> Vec<String> {
    let mut names = BTreeSet::new();
    let word = |text: &str| match text.contains(char::is_whitespace) {
        true => format!("\"{text}\""),
        false => text.to_owned(),
    };
    for operation in &story.operations {
        names.insert(word(&operation.name));
        if operation.kind == OperationKind::Actor {
            names.extend(operation.fields.iter().map(|field| word(&field.field)));
        }
    }
    names.extend(
        story
            .messages
            .iter()
            .map(|message| word(name_of(&message.event))),
    );
    names.extend(story.monitors.iter().map(|monitor| word(&monitor.name)));
    names.extend(["event", "state", "field", "monitor", "predicate"].map(str::to_owned));
    let states = story
        .steps
        .iter()
        .filter_map(|step| step.state_after.as_deref());
    names.extend(states.map(word));
    // Names that would affect the terminal are excluded.
    let is_plain = |name: &String| !name.is_empty() && !name.contains(char::is_control);
    names.into_iter().filter(is_plain).collect()
}

/// Suggests the known name most similar to `name`, or lists the known ones.
fn nearest(known: impl Iterator<Item = String>, name: &str) -> String {
    let mut known: Vec<(f64, String)> = known
        .map(|known| {
            (
                strsim::jaro_winkler(&known.to_lowercase(), &name.to_lowercase()),
                known,
            )
        })
        .collect();
    known.sort_by(|a, b| b.0.total_cmp(&a.0));
    if known.is_empty() {
        return "; there are none".into();
    }
    if known[0].0 > 0.8 {
        return format!("; did you mean `{}`?", known[0].1);
    }
    let all = known.len();
    let names: Vec<String> = known.into_iter().take(8).map(|(_, known)| known).collect();
    let more = if all > 8 { " …" } else { "" };
    format!("; there are {}{more}", names.join(", "))
}
