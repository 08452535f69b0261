//! Formats the states and handlers that no execution reached, in one line.

use crate::data::coverage::{Coverage, Unreached};

/// The largest number of states and handlers that are named.
const NAMED: usize = 6;

/// Formats the unreached states and handlers as a line; `None` if there are none.
pub(crate) fn unreached(coverage: &Coverage) -> Option<String> {
    unreached_parts(coverage).map(|parts| format!("never reached: {parts}"))
}

/// Lists the unreached states and handlers; `None` if there are none.
pub(crate) fn unreached_parts(coverage: &Coverage) -> Option<String> {
    let all = coverage.unreached();
    let more = all.len().saturating_sub(NAMED);
    let named = &all[..all.len() - more];
    let mut states = Groups::default();
    let mut handlers = Groups::default();
    for one in named {
        match one {
            Unreached::State { actor, state } => states.add(actor, format!("`{state}`")),
            Unreached::Handler {
                actor,
                event,
                state: None,
            } => handlers.add(actor, format!("on `{event}`")),
            Unreached::Handler {
                actor,
                event,
                state: Some(state),
            } => handlers.add(actor, format!("on `{event}` in `{state}`")),
        }
    }
    let states = states.say("state", |actor, states| format!("{states} of `{actor}`"));
    let handlers = handlers.say("handler", |actor, events| format!("`{actor}` {events}"));
    let said: Vec<String> = states.into_iter().chain(handlers).collect();
    let more = match more {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    (!said.is_empty()).then(|| said.join("; ") + &more)
}

#[derive(Default)]
struct Groups<'a>(Vec<(&'a str, Vec<String>)>);

impl<'a> Groups<'a> {
    fn add(&mut self, actor: &'a str, name: String) {
        match self.0.last_mut() {
            Some((last, names)) if *last == actor => names.push(name),
            _ => self.0.push((actor, vec![name])),
        }
    }

    fn say(self, noun: &str, group: impl Fn(&str, &str) -> String) -> Option<String> {
        let count: usize = self.0.iter().map(|(_, names)| names.len()).sum();
        let plural = if count == 1 { "" } else { "s" };
        let groups: Vec<String> = self
            .0
            .iter()
            .map(|(actor, names)| group(actor, &names.join(", ")))
            .collect();
        (count > 0).then(|| format!("{noun}{plural} {}", groups.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::coverage::{ActorCoverage, HandlerCoverage, StateCoverage};

    fn state(name: &str, entered: u64, events: &[(&str, u64)]) -> StateCoverage {
        let handler = |(event, ran): &(&str, u64)| HandlerCoverage {
            event: (*event).into(),
            ran: *ran,
        };
        StateCoverage {
            name: name.into(),
            started: 0,
            entered,
            handlers: events.iter().map(handler).collect(),
        }
    }

    fn said(actors: &[(&str, &[StateCoverage])]) -> Option<String> {
        let mut coverage = Coverage::default();
        let actor = |(name, states): &(&str, &[StateCoverage])| ActorCoverage {
            path: format!("shop::{name}"),
            name: (*name).into(),
            states: states.to_vec(),
            transitions: Vec::new(),
        };
        coverage.actors = actors.iter().map(actor).collect();
        unreached(&coverage)
    }

    #[test]
    fn nothing_is_said_where_all_was_reached() {
        assert_eq!(said(&[]), None);
        assert_eq!(said(&[("Till", &[state("", 1, &[("Pay", 3)])])]), None);
    }

    #[test]
    fn states_and_handlers_are_told_by_actor() {
        let door = [
            state("Open", 2, &[("Shut", 0), ("Look", 1)]),
            state("Shut", 0, &[("Look", 0)]),
        ];
        let till = [state("", 1, &[("Pay", 0), ("Count", 0)])];
        assert_eq!(
            said(&[("Door", &door), ("Till", &till)]).unwrap(),
            "never reached: state `Shut` of `Door`; handlers `Door` on `Shut` in `Open`, `Till` on \
             `Pay`, on `Count`"
        );
    }

    #[test]
    fn a_long_list_is_cut() {
        let names = ["A", "B", "C", "D", "E", "F", "G", "H"];
        let states = |count: usize| -> Vec<StateCoverage> {
            let names = names[..count].iter();
            names.map(|name| state(name, 0, &[])).collect()
        };
        let said = |count| said(&[("Long", &states(count))]).unwrap();
        assert_eq!(
            said(8),
            "never reached: states `A`, `B`, `C`, `D`, `E`, `F` of `Long`, and 2 more"
        );
        assert!(said(6).ends_with("`F` of `Long`"), "{}", said(6));
    }
}
