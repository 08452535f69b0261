//! Breakpoints of the debugger: events, states, fields and monitors.

use std::collections::BTreeSet;

use super::command::BreakCondition;
use super::query::{self, is_part};
use actor_test::story::{Effect, Step, Story};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Breakpoint(pub(super) BreakCondition);

impl Breakpoint {
    /// Creates a breakpoint after checking that the story contains its names.
    pub(super) fn new(story: &Story, condition: BreakCondition) -> Result<Self, String> {
        match &condition {
            BreakCondition::Event(event, actor) => {
                query::event(story, event)?;
                actor
                    .as_ref()
                    .map(|actor| query::actors(story, actor))
                    .transpose()?;
            }
            BreakCondition::State(actor, state) => {
                let who = query::actors(story, actor)?;
                has_state(story, &who, actor, state)?;
            }
            BreakCondition::Field(actor, field, _) => {
                let who = query::actors(story, actor)?;
                has_field(story, &who, actor, field)?;
            }
            BreakCondition::Monitor(name, _) => {
                query::monitor(story, name)?;
            }
        }
        Ok(Self(condition))
    }

    pub(super) fn stops(&self, story: &Story, step: &Step) -> bool {
        let is_of =
            |actor: &String| query::actors(story, actor).is_ok_and(|who| who.contains(&step.who));
        match &self.0 {
            BreakCondition::Event(event, actor) => {
                let of = actor
                    .as_ref()
                    .and_then(|actor| query::actors(story, actor).ok());
                query::carries(story, step, event, of.as_ref())
            }
            BreakCondition::State(actor, state) => {
                let is_there = step.state_after.as_deref() == Some(state);
                let moved = step.state_before != step.state_after;
                let again = step.effects.contains(&Effect::Reentered);
                is_there && (moved || again) && is_of(actor)
            }
            BreakCondition::Field(actor, field, value) => {
                let mut changes = step.changes.iter();
                changes.any(|change| match value {
                    None => is_part(&change.field, field),
                    Some(value) => {
                        *change.field == **field && change.after.as_deref() == Some(value)
                    }
                }) && is_of(actor)
            }
            BreakCondition::Monitor(name, state) => step.monitors.iter().any(|change| {
                let monitor = story.monitors.get(change.monitor as usize);
                monitor.is_some_and(|monitor| *monitor.name == **name)
                    && state.as_ref().is_none_or(|state| {
                        *change.after == **state || change.temperature.word() == state
                    })
            }),
        }
    }
}

fn has_state(story: &Story, who: &BTreeSet<u32>, actor: &str, state: &str) -> Result<(), String> {
    let steps = story.steps.iter().filter(|step| who.contains(&step.who));
    let states: BTreeSet<&str> = steps
        .flat_map(|step| [step.state_before.as_deref(), step.state_after.as_deref()])
        .flatten()
        .collect();
    match states.contains(state) {
        true => Ok(()),
        false if states.is_empty() => Err(format!("`{actor}` has no states")),
        false => {
            let states: Vec<&str> = states.into_iter().collect();
            Err(format!(
                "`{actor}` never is in a state `{state}`; it is in {}",
                states.join(", ")
            ))
        }
    }
}

fn has_field(story: &Story, who: &BTreeSet<u32>, actor: &str, field: &str) -> Result<(), String> {
    let began = who
        .iter()
        .filter_map(|who| story.operations.get(*who as usize));
    let prints = began.clone().any(|operation| operation.prints);
    if !prints {
        return Err(format!(
            "nothing is known of the fields of `{actor}`: its type has no `Debug`"
        ));
    }
    let began = began
        .flat_map(|operation| &operation.fields)
        .map(|field| &*field.field);
    let steps = story.steps.iter().filter(|step| who.contains(&step.who));
    let changed = steps
        .flat_map(|step| &step.changes)
        .map(|change| &*change.field);
    let known: BTreeSet<&str> = began.chain(changed).collect();
    match known.iter().any(|known| is_part(known, field)) {
        true => Ok(()),
        false => {
            let known: Vec<&str> = known
                .into_iter()
                .filter(|name| !name.is_empty())
                .take(12)
                .collect();
            Err(format!(
                "`{actor}` has no field `{field}`; it has {}",
                known.join(", ")
            ))
        }
    }
}
