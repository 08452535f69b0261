//! What each tool takes. The schemas that clients see are made of these types, descriptions and bounds
//! included, and what is called is held against the same schemas.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Lists the actor tests.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ListTests {
    /// Only tests whose path contains this.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub(super) contains: Option<String>,
    /// How many to skip: the `next_offset` of the answer before.
    #[serde(default)]
    #[schemars(range(max = 1_000_000))]
    pub(super) offset: usize,
    /// How many to list at most.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 500))]
    pub(super) limit: usize,
}

/// Lists the traces.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ListTraces {
    /// How many to list at most, the newest first.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 500))]
    pub(super) limit: usize,
}

/// Explores tests.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Explore {
    /// The path of the test, as `list_tests` has it, or a part of it; up to 20 tests are told of.
    #[schemars(length(min = 1, max = 1000))]
    pub(super) test: String,
    /// Only the test whose whole path that is.
    #[serde(default)]
    pub(super) exact: bool,
    /// Executions per test; unless given, as many as two seconds of one core pay for.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100_000_000))]
    pub(super) iterations: Option<u64>,
    /// One strategy, as `random`, `pct:3`, `fair-pct` or `delay:rtc`; unless given, a portfolio of all.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub(super) strategy: Option<String>,
    /// What every schedule is derived from [default: 0].
    #[serde(default)]
    pub(super) seed: Option<u64>,
    /// Steps of an execution: `N`, or `N:M` for unfair and fair ones [default: 10000, and 10 N].
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub(super) max_steps: Option<String>,
    /// Go on after the first bug, and collect those that differ.
    #[serde(default)]
    pub(super) all_bugs: bool,
    /// After so many seconds it is given up, the build included.
    #[serde(default = "minutes")]
    #[schemars(range(min = 1, max = 3600))]
    pub(super) time_limit_s: u64,
}

/// Tells a story.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadStory {
    /// The trace: its path, or its file's name in the traces' folder.
    #[schemars(length(min = 1, max = 4096))]
    pub(super) trace: String,
    /// The steps of an actor, by its name or type, and those in which something is sent to it.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub(super) actor: Option<String>,
    /// The steps in which that event is sent, handled or fired.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub(super) event: Option<String>,
    /// From that step on.
    #[serde(default)]
    pub(super) from_step: Option<u64>,
    /// Up to that step.
    #[serde(default)]
    pub(super) to_step: Option<u64>,
    /// Every step; unless told, runs of steps in which nothing changes are folded.
    #[serde(default)]
    pub(super) every_step: bool,
    /// How many lines to skip: the `next_offset` of the answer before.
    #[serde(default)]
    #[schemars(range(max = 100_000_000))]
    pub(super) offset: usize,
    /// How many lines to tell at most.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 400))]
    pub(super) limit: usize,
}

/// Tells what led to a step.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct CausesOfStep {
    /// The trace: its path, or its file's name in the traces' folder.
    #[schemars(length(min = 1, max = 4096))]
    pub(super) trace: String,
    /// The step's number.
    #[schemars(range(min = 1))]
    pub(super) step: u64,
    /// How many lines to skip: the `next_offset` of the answer before.
    #[serde(default)]
    #[schemars(range(max = 100_000_000))]
    pub(super) offset: usize,
    /// How many lines to tell at most.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 400))]
    pub(super) limit: usize,
}

/// Tells why an execution failed.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ExplainFailure {
    /// The trace: its path, or its file's name in the traces' folder.
    #[schemars(length(min = 1, max = 4096))]
    pub(super) trace: String,
}

/// Minimises a trace.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Minimize {
    /// The trace: its path, or its file's name in the traces' folder. What is left takes its place.
    #[schemars(length(min = 1, max = 4096))]
    pub(super) trace: String,
    /// What it may cost, in steps of executions [default: 20 million].
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000_000_000_u64))]
    pub(super) budget: Option<u64>,
    /// Keep what is left in tests/schedules of the package, too, so that it runs first from now on.
    #[serde(default)]
    pub(super) save: bool,
    /// After so many seconds it is given up, the build included.
    #[serde(default = "minutes")]
    #[schemars(range(min = 1, max = 3600))]
    pub(super) time_limit_s: u64,
    /// How many lines to skip: the `next_offset` of the answer before.
    #[serde(default)]
    #[schemars(range(max = 100_000_000))]
    pub(super) offset: usize,
    /// How many lines to tell at most.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 400))]
    pub(super) limit: usize,
}

/// Replays a trace.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Replay {
    /// The trace: its path, or its file's name in the traces' folder.
    #[schemars(length(min = 1, max = 4096))]
    pub(super) trace: String,
    /// Where the bug does not come any more, executions near the recorded one are tried, for about so many
    /// steps; 0 tries none.
    #[serde(default = "million")]
    #[schemars(range(max = 10_000_000_000_u64))]
    pub(super) near: u64,
    /// After so many seconds it is given up, the build included.
    #[serde(default = "minutes")]
    #[schemars(range(min = 1, max = 3600))]
    pub(super) time_limit_s: u64,
    /// How many lines to skip: the `next_offset` of the answer before. The last lines are told always.
    #[serde(default)]
    #[schemars(range(max = 100_000_000))]
    pub(super) offset: usize,
    /// How many lines to tell at most.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 400))]
    pub(super) limit: usize,
}

fn hundred() -> usize {
    100
}

fn million() -> u64 {
    1_000_000
}

fn minutes() -> u64 {
    300
}

/// The arguments of a call, held against the schema of its tool.
pub(super) fn read<T: DeserializeOwned>(
    schema: &JsonObject,
    arguments: JsonObject,
) -> Result<T, String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, value) in &arguments {
        let property = properties.and_then(|all| all.get(name));
        property.map_or(Ok(()), |property| in_bounds(name, value, property))?;
    }
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        let known = properties.into_iter().flat_map(|all| all.keys());
        let known: Vec<&str> = known.map(String::as_str).collect();
        format!("{error}; it takes {}", known.join(", "))
    })
}

/// What is no number or text at all is told apart where it is read.
fn in_bounds(name: &str, value: &Value, property: &Value) -> Result<(), String> {
    let bound = |key: &str| property.get(key).and_then(Value::as_f64);
    let (found, min, max, what) = match value {
        Value::Number(number) => (number.as_f64(), bound("minimum"), bound("maximum"), "it is"),
        Value::String(text) => {
            let length = text.chars().count() as f64;
            (
                Some(length),
                bound("minLength"),
                bound("maxLength"),
                "its length is",
            )
        }
        _ => return Ok(()),
    };
    let found = found.unwrap_or_default();
    if min.is_some_and(|min| found < min) || max.is_some_and(|max| found > max) {
        let from = min.map_or_else(String::new, |min| format!(" from {min}"));
        let to = max.map_or_else(String::new, |max| format!(" to {max}"));
        return Err(format!("{name}: {what} {found}, and may be{from}{to}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::handler::server::tool::schema_for_input;
    use serde_json::json;

    fn read_explore(arguments: Value) -> Result<Explore, String> {
        let schema = schema_for_input::<Explore>().expect("a schema");
        read(&schema, arguments.as_object().expect("an object").clone())
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let read = read_explore(json!({ "test": "bank" })).expect("it is all that has to be");
        assert_eq!((read.iterations, read.time_limit_s), (None, 300));
    }

    #[test]
    fn what_is_wrong_is_named_with_what_would_be_right() {
        let wrong = |arguments: Value| read_explore(arguments).expect_err("it is wrong");
        let bounds = wrong(json!({ "test": "bank", "iterations": 0 }));
        assert_eq!(
            bounds,
            "iterations: it is 0, and may be from 1 to 100000000"
        );
        let length = wrong(json!({ "test": "" }));
        assert_eq!(length, "test: its length is 0, and may be from 1 to 1000");
        let unknown = wrong(json!({ "test": "bank", "iteration": 3 }));
        assert!(
            unknown.contains("unknown field `iteration`, expected one of"),
            "{unknown}"
        );
        let kind = wrong(json!({ "test": "bank", "iterations": "many" }));
        assert!(kind.contains("expected u64; it takes "), "{kind}");
        let missing = wrong(json!({}));
        assert!(missing.contains("missing field `test`"), "{missing}");
    }
}
