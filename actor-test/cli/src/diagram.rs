//! State diagrams of coverage, for Graphviz and Mermaid.
//!
//! A state is green if reached, orange if one of its handlers never ran, and grey and dashed if never
//! entered. The transitions are those observed.

use crate::words;
use actor_test::coverage::{ActorCoverage, StateCoverage};

/// The appearance of a state in a diagram.
struct StateStyle {
    /// The lines of the label: the name, the number of entries, and the handlers that never ran.
    lines: Vec<String>,
    colour: Colour,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    Reached,
    Partly,
    Never,
}

impl StateStyle {
    fn of(actor: &ActorCoverage, state: &StateCoverage) -> Self {
        let never = actor.never_handled_in(state);
        let colour = match &*never {
            _ if state.entered == 0 => Colour::Never,
            [] => Colour::Reached,
            _ => Colour::Partly,
        };
        let mut lines = vec![state.name.clone(), words::entered(state.entered)];
        if colour == Colour::Partly {
            lines.push(words::never_handled(&never));
        }
        Self { lines, colour }
    }
}

/// Returns the diagram in Graphviz's format.
pub(crate) fn dot(actor: &ActorCoverage, tests: usize) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = format!(
        "// {}\ndigraph \"{}\" {{\n    rankdir=LR;\n    node [shape=box, fontname=\"sans-serif\"];\n    \
         edge [color=\"#2e7d32\", fontname=\"sans-serif\"];\n    \
         start [shape=point, color=\"#2e7d32\"];\n",
        words::coverage_head(actor, tests),
        quoted(&actor.path)
    );
    for (number, state) in actor.states.iter().enumerate() {
        let drawn = StateStyle::of(actor, state);
        let lines: Vec<String> = drawn.lines.iter().map(|line| quoted(line)).collect();
        let style = match drawn.colour {
            Colour::Reached => "style=\"rounded,filled\", fillcolor=\"#e8f5e9\", color=\"#2e7d32\"",
            Colour::Partly => "style=\"rounded,filled\", fillcolor=\"#fff3e0\", color=\"#ef6c00\"",
            Colour::Never => "style=\"rounded,dashed\", color=\"#9e9e9e\", fontcolor=\"#9e9e9e\"",
        };
        text += &format!(
            "    s{number} [label=\"{}\", {style}];\n",
            lines.join("\\n")
        );
    }
    for (from, to, count) in arrows(actor) {
        let from = from.map_or_else(|| "start".into(), |from| format!("s{from}"));
        text += &format!("    {from} -> s{to} [label=\"{count}\"];\n");
    }
    text + "}\n"
}

pub(crate) fn mermaid(actor: &ActorCoverage, tests: usize) -> String {
    let mut text = format!(
        "%% {}\nstateDiagram-v2\n    direction LR\n    \
         classDef reached fill:#e8f5e9,stroke:#2e7d32,color:#000000\n    \
         classDef partly fill:#fff3e0,stroke:#ef6c00,color:#000000\n    \
         classDef never fill:#ffffff,stroke:#9e9e9e,stroke-dasharray:4,color:#9e9e9e\n",
        words::coverage_head(actor, tests)
    );
    for (number, state) in actor.states.iter().enumerate() {
        let drawn = StateStyle::of(actor, state);
        let lines: Vec<String> = drawn.lines.iter().map(|line| entities(line)).collect();
        let class = match drawn.colour {
            Colour::Reached => "reached",
            Colour::Partly => "partly",
            Colour::Never => "never",
        };
        text += &format!(
            "    state \"{}\" as s{number}\n    class s{number} {class}\n",
            lines.join("<br/>")
        );
    }
    for (from, to, count) in arrows(actor) {
        let from = from.map_or_else(|| "[*]".into(), |from| format!("s{from}"));
        text += &format!("    {from} --> s{to}: {count}\n");
    }
    text
}

/// Returns the starts, then the transitions, by the numbers of the states.
fn arrows(actor: &ActorCoverage) -> Vec<(Option<usize>, usize, u64)> {
    let position = |name: &str| actor.states.iter().position(|state| state.name == name);
    let starts = actor.states.iter().enumerate();
    let starts = starts
        .filter(|(_, state)| state.started > 0)
        .map(|(number, state)| (None, number, state.started));
    let moves = actor.transitions.iter().filter_map(|seen| {
        let (from, to) = (position(&seen.from)?, position(&seen.to)?);
        Some((Some(from), to, seen.count))
    });
    starts.chain(moves).collect()
}

/// Escapes the letters that have a meaning in Mermaid.
pub(crate) fn entities(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '<' => escaped += "#lt;",
            '>' => escaped += "#gt;",
            '"' => escaped += "#quot;",
            '#' => escaped += "#35;",
            ';' => escaped += "#59;",
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A state: name, starts, entries, and handlers with counts.
    type Row<'a> = (&'a str, u64, u64, &'a [(&'a str, u64)]);

    pub(crate) fn actor(path: &str, states: &[Row<'_>], transitions: Value) -> ActorCoverage {
        let handler = |(event, ran): &(&str, u64)| json!({ "event": event, "ran": ran });
        let state = |(name, started, entered, handlers): &Row<'_>| {
            let handlers: Vec<Value> = handlers.iter().map(handler).collect();
            json!({ "name": name, "started": started, "entered": entered, "handlers": handlers })
        };
        let states: Vec<Value> = states.iter().map(state).collect();
        let name = path.rsplit("::").next();
        let actor = json!({
            "path": path, "name": name, "states": states, "transitions": transitions,
        });
        serde_json::from_value(actor).expect("these are the fields of an actor's coverage")
    }

    fn door() -> ActorCoverage {
        actor(
            "house::Door",
            &[
                ("Open", 7, 9, &[("Shut", 9), ("Paint<\"a\">", 0)]),
                ("Shut", 0, 9, &[("Open", 2)]),
                ("Broken", 0, 0, &[("Mend", 0)]),
            ],
            json!([
                { "from": "Open", "to": "Shut", "count": 9 },
                { "from": "Shut", "to": "Open", "count": 2 },
            ]),
        )
    }

    #[test]
    fn a_diagram_for_graphviz() {
        insta::assert_snapshot!(dot(&door(), 2));
    }

    #[test]
    fn a_diagram_for_mermaid() {
        insta::assert_snapshot!(mermaid(&door(), 1));
    }
}
