//! Names of operations (given names, or type names with a number) and of shared objects.

use std::collections::BTreeMap;

use crate::data::problem::ObjectName;
use crate::records::{Created, Record};

/// The number of actors of each type, on each node and outside of nodes.
type Counts<'r> = BTreeMap<(Option<&'r str>, u32), u32>;

/// Returns the name of each operation in the records, by number. An actor without a given name has the name
/// of its type, and a number if the type has several actors.
pub(super) fn names(records: &[Record]) -> Vec<String> {
    let created = || {
        records.iter().filter_map(|record| match record {
            Record::Created { who, what, .. } => Some((*who as usize, what)),
            _ => None,
        })
    };
    let mut counts = Counts::new();
    for (_, what) in created() {
        if let Created::Actor {
            type_number,
            prefix,
            ..
        } = what
        {
            *counts.entry((prefix.as_deref(), *type_number)).or_default() += 1;
        }
    }
    let mut names = vec!["test".to_owned()];
    for (who, what) in created() {
        let name = name(&names, &counts, what);
        if names.len() <= who {
            names.resize(who + 1, "?".to_owned());
        }
        names[who] = name;
    }
    names
}

/// Returns the name of each shared object in the records, by number: its kind and place, and a number if there
/// are several of these. The object that signals the end of a task has the name of the task.
pub(super) fn object_names(records: &[Record], operations: &[String]) -> Vec<String> {
    let mut counts = BTreeMap::new();
    let mut objects = Vec::new();
    for record in records {
        if let Record::Object { kind, made } = record {
            let count: &mut u32 = counts.entry((*kind, made)).or_default();
            *count += 1;
            objects.push((*kind, made, *count));
        }
    }
    let objects = objects.into_iter().map(|(kind, made, number)| {
        let name = ObjectName {
            kind: kind.into(),
            number: (counts[&(kind, made)] > 1).then_some(number),
            made: made.clone(),
        };
        name.to_string()
    });
    let mut names: Vec<String> = objects.collect();
    for record in records {
        if let Record::Created {
            who,
            what: Created::Task { end, .. },
            ..
        } = record
            && let Some(name) = names.get_mut(*end as usize)
            && let Some(task) = operations.get(*who as usize)
        {
            name.clone_from(task);
        }
    }
    names
}

fn name(names: &[String], counts: &Counts<'_>, what: &Created) -> String {
    match what {
        // The owner is older, so that its name is known.
        Created::Future { owner } => {
            let owner = names.get(*owner as usize);
            format!("{}'s future", owner.map_or("?", String::as_str))
        }
        Created::Boot { name } | Created::Link { name } | Created::Name { name } => name.clone(),
        Created::Task { name, .. } => name.clone(),
        Created::Actor {
            of_type,
            type_number,
            ordinal,
            name,
            prefix,
        } => {
            let on = prefix.as_deref().unwrap_or_default();
            let among = counts.get(&(prefix.as_deref(), *type_number));
            match (name, among) {
                (Some(name), _) => format!("{on}{name}"),
                (None, Some(1) | None) => format!("{on}{of_type}"),
                (None, Some(_)) => format!("{on}{of_type}#{ordinal}"),
            }
        }
    }
}
