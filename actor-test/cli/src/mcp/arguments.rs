//! The arguments of each MCP tool, from which the schemas for clients are generated.
//!
//! The schemas include the descriptions and bounds of these types, and each call is validated against them.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Lists the actor tests.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ListTests {
    /// Only tests whose path contains this text.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub(super) contains: Option<String>,
    /// The number of tests to skip: the `next_offset` of the previous answer.
    #[serde(default)]
    #[schemars(range(max = 1_000_000))]
    pub(super) offset: usize,
    /// The maximum number of tests to list.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 500))]
    pub(super) limit: usize,
}

/// Lists the traces.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ListTraces {
    /// The maximum number of traces to list, the newest first.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 500))]
    pub(super) limit: usize,
}

/// Explores tests.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ExploreArguments {
    /// The path of the test, as `list_tests` returns it, or a part of it; the answer has up to 20 tests.
    #[schemars(length(min = 1, max = 1000))]
    pub(super) test: String,
    /// True to run only the test whose whole path is `test`.
    #[serde(default)]
    pub(super) exact: bool,
    /// The number of executions per test; by default as many as take two seconds of one core.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100_000_000))]
    pub(super) iterations: Option<u64>,
    /// A strategy such as `random`, `pct:3`, `fair-pct` or `delay:rtc`; by default a portfolio of all.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub(super) strategy: Option<String>,
    /// The seed of all schedules [default: 0].
    #[serde(default)]
    pub(super) seed: Option<u64>,
    /// The maximum number of steps of an execution: `N`, or `N:M` for unfair and fair ones
    /// [default: 10000, and 10 N].
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub(super) max_steps: Option<String>,
    /// True to continue after the first bug and collect different bugs.
    #[serde(default)]
    pub(super) all_bugs: bool,
    /// The time limit in seconds, including the build.
    #[serde(default = "minutes")]
    #[schemars(range(min = 1, max = 3600))]
    pub(super) time_limit_s: u64,
}

/// Reads a story.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadStory {
    /// The trace: its path, or its file name in the traces' folder.
    #[schemars(length(min = 1, max = 4096))]
    pub(super) trace: String,
    /// An actor's name or type: only its steps, and those in which something is sent to it.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub(super) actor: Option<String>,
    /// An event: only the steps in which it is sent, handled or fired.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub(super) event: Option<String>,
    /// The first step to read.
    #[serde(default)]
    pub(super) from_step: Option<u64>,
    /// The last step to read.
    #[serde(default)]
    pub(super) to_step: Option<u64>,
    /// True to list every step; by default, runs of steps in which nothing changes are folded.
    #[serde(default)]
    pub(super) every_step: bool,
    /// The number of lines to skip: the `next_offset` of the previous answer.
    #[serde(default)]
    #[schemars(range(max = 100_000_000))]
    pub(super) offset: usize,
    /// The maximum number of lines to return.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 400))]
    pub(super) limit: usize,
}

/// Reads the causes of a step.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct CausesOfStep {
    /// The trace: its path, or its file name in the traces' folder.
    #[schemars(length(min = 1, max = 4096))]
    pub(super) trace: String,
    /// The number of the step.
    #[schemars(range(min = 1))]
    pub(super) step: u64,
    /// The number of lines to skip: the `next_offset` of the previous answer.
    #[serde(default)]
    #[schemars(range(max = 100_000_000))]
    pub(super) offset: usize,
    /// The maximum number of lines to return.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 400))]
    pub(super) limit: usize,
}

/// Explains the failure of an execution.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ExplainFailure {
    /// The trace: its path, or its file name in the traces' folder.
    #[schemars(length(min = 1, max = 4096))]
    pub(super) trace: String,
}

/// Minimises a trace.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct MinimizeArguments {
    /// The trace: its path, or its file name in the traces' folder. The minimised trace replaces it.
    #[schemars(length(min = 1, max = 4096))]
    pub(super) trace: String,
    /// The budget, in steps of executions [default: 20 million].
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000_000_000_u64))]
    pub(super) budget: Option<u64>,
    /// True to save the minimised trace in tests/schedules of the package as well, so that it always runs
    /// first.
    #[serde(default)]
    pub(super) save: bool,
    /// The time limit in seconds, including the build.
    #[serde(default = "minutes")]
    #[schemars(range(min = 1, max = 3600))]
    pub(super) time_limit_s: u64,
    /// The number of lines to skip: the `next_offset` of the previous answer.
    #[serde(default)]
    #[schemars(range(max = 100_000_000))]
    pub(super) offset: usize,
    /// The maximum number of lines to return.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 400))]
    pub(super) limit: usize,
}

/// Replays a trace.
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplayArguments {
    /// The trace: its path, or its file name in the traces' folder.
    #[schemars(length(min = 1, max = 4096))]
    pub(super) trace: String,
    /// The steps for executions near the recorded one, if the bug does not occur any more; 0 runs none.
    #[serde(default = "million")]
    #[schemars(range(max = 10_000_000_000_u64))]
    pub(super) near: u64,
    /// The time limit in seconds, including the build.
    #[serde(default = "minutes")]
    #[schemars(range(min = 1, max = 3600))]
    pub(super) time_limit_s: u64,
    /// The number of lines to skip: the `next_offset` of the previous answer. The last lines are always
    /// included.
    #[serde(default)]
    #[schemars(range(max = 100_000_000))]
    pub(super) offset: usize,
    /// The maximum number of lines to return.
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

/// Validates the arguments of a call against the schema of its tool, and parses them.
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

/// Checks the bounds of a number or text; other types are checked when parsed.
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

    fn read_explore(arguments: Value) -> Result<ExploreArguments, String> {
        let schema = schema_for_input::<ExploreArguments>().expect("a schema");
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
