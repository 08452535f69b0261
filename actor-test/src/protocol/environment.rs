//! Settings from environment variables (`ACTOR_TEST_*`) and from the manifest.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::settings::overrides::{Overrides, parse};

/// The number of executions.
pub(crate) const ITERATIONS: &str = "ACTOR_TEST_ITERATIONS";
/// The seed of every schedule: a number, or `random`.
pub(crate) const SEED: &str = "ACTOR_TEST_SEED";
/// The search: `portfolio`, `exhaustive`, or strategies separated by commas, as for `-s`.
pub(crate) const STRATEGY: &str = "ACTOR_TEST_STRATEGY";
/// The bounds on steps: `N`, `N:M` or `auto`.
pub(crate) const MAX_STEPS: &str = "ACTOR_TEST_MAX_STEPS";
/// The number of fair steps after which a pending obligation is a bug.
pub(crate) const TEMPERATURE: &str = "ACTOR_TEST_TEMPERATURE";
/// The number of threads that explore a test.
pub(crate) const WORKERS: &str = "ACTOR_TEST_WORKERS";
/// The time for which a test is explored.
pub(crate) const FOR: &str = "ACTOR_TEST_FOR";
/// Continues after the first bug: `1` or `true`.
pub(crate) const KEEP_GOING: &str = "ACTOR_TEST_KEEP_GOING";
/// Stops when the search seems saturated: `1` or `true`.
pub(crate) const UNTIL_SATURATED: &str = "ACTOR_TEST_UNTIL_SATURATED";
/// The K-th of N parts of the search: `K/N`.
pub(crate) const PARTITION: &str = "ACTOR_TEST_PARTITION";
/// The directory of the search.
pub(crate) const SEARCH_DIR: &str = "ACTOR_TEST_SEARCH_DIR";
/// The time without progress after which a handler counts as hanging.
pub(crate) const HANG_TIMEOUT: &str = "ACTOR_TEST_HANG_TIMEOUT";
/// The directory for traces.
pub(crate) const TRACE_DIR: &str = "ACTOR_TEST_TRACE_DIR";
/// The conditions that fail a test though no execution failed: `vacuous`, `unreached`.
pub(crate) const DENY: &str = "ACTOR_TEST_DENY";
/// The budget in steps for minimising failing executions.
pub(crate) const MINIMIZE: &str = "ACTOR_TEST_MINIMIZE";
/// The budget in steps for the search for the causes of bugs.
pub(crate) const EXPLAIN: &str = "ACTOR_TEST_EXPLAIN";
/// The maximum number of faults of each kind in an execution.
pub(crate) const FAULTS: &str = "ACTOR_TEST_FAULTS";
/// The order in which messages between nodes are delivered.
pub(crate) const DELIVERY: &str = "ACTOR_TEST_DELIVERY";
/// The maximum difference of the nodes' clocks.
pub(crate) const CLOCKS: &str = "ACTOR_TEST_CLOCKS";
/// The path of the file with the tool's request to its child; not a setting.
pub(crate) const REQUEST: &str = "ACTOR_TEST_REQUEST";

const SETTINGS: [&str; 19] = [
    ITERATIONS,
    SEED,
    STRATEGY,
    MAX_STEPS,
    TEMPERATURE,
    WORKERS,
    FOR,
    KEEP_GOING,
    UNTIL_SATURATED,
    PARTITION,
    SEARCH_DIR,
    HANG_TIMEOUT,
    TRACE_DIR,
    DENY,
    MINIMIZE,
    EXPLAIN,
    FAULTS,
    DELIVERY,
    CLOCKS,
];

/// The error for a malformed setting.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct Malformed {
    /// The place of the setting: `variable ACTOR_TEST_SEED = "x"`.
    pub(crate) place: String,
    /// The problem, with the expected form.
    pub(crate) problem: String,
}

/// Returns the settings in the variables `ACTOR_TEST_*`.
pub fn variables() -> Result<Overrides, Malformed> {
    read(std::env::vars_os())
}

fn read(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Overrides, Malformed> {
    let mut overrides = Overrides::default();
    for (name, value) in variables {
        let Some(name) = name.to_str().filter(|name| name.starts_with("ACTOR_TEST_")) else {
            continue;
        };
        if name == REQUEST {
            continue;
        }
        let malformed = |problem: String| Malformed {
            place: format!("variable {name} = {value:?}"),
            problem,
        };
        let directory = || Some(PathBuf::from(&value)).filter(|dir| !dir.as_os_str().is_empty());
        match name {
            TRACE_DIR => overrides.trace_dir = directory(),
            SEARCH_DIR => overrides.search_dir = directory(),
            _ => {
                let text = value
                    .to_str()
                    .ok_or_else(|| malformed("expected UTF-8".into()))?;
                set(&mut overrides, name, text).map_err(malformed)?;
            }
        }
    }
    Ok(overrides)
}

fn set(overrides: &mut Overrides, name: &str, text: &str) -> Result<(), String> {
    match name {
        ITERATIONS => overrides.iterations = Some(parse::count(text)?),
        SEED => overrides.seed = Some(parse::seed(text)?),
        STRATEGY => {
            let texts: Vec<String> = text.split(',').map(|one| one.trim().to_owned()).collect();
            parse::search(&texts)?;
            overrides.search = Some(texts);
        }
        MAX_STEPS => overrides.max_steps = Some(parse::max_steps(text)?),
        TEMPERATURE => overrides.temperature = Some(parse::count(text)?),
        WORKERS => overrides.workers = Some(parse::workers(text)?),
        FOR => overrides.time_limit = Some(parse::duration(text)?),
        KEEP_GOING => overrides.keep_going = Some(flag(text)?),
        UNTIL_SATURATED => overrides.until_saturated = Some(flag(text)?),
        PARTITION => overrides.partition = Some(parse::partition(text)?),
        MINIMIZE => overrides.minimize = Some(parse::budget(text)?),
        EXPLAIN => overrides.explain = Some(parse::budget(text)?),
        FAULTS => overrides.faults = Some(parse::faults(text)?),
        DELIVERY => overrides.delivery = Some(parse::delivery(text)?),
        CLOCKS => overrides.clocks = Some(parse::clocks(text)?),
        DENY => overrides.deny = Some(parse::deny(text)?),
        HANG_TIMEOUT => overrides.hang_timeout = Some(parse::duration(text)?),
        _ => return Err(unknown(name)),
    }
    Ok(())
}

fn flag(text: &str) -> Result<bool, String> {
    match text {
        "1" | "true" => Ok(true),
        "0" | "false" | "" => Ok(false),
        _ => Err("expected `1` or `0`".into()),
    }
}

fn unknown(name: &str) -> String {
    let nearest = SETTINGS
        .iter()
        .min_by_key(|known| strsim::levenshtein(name, known));
    let nearest = nearest.copied().unwrap_or(SEED);
    format!(
        "there is no such setting; did you mean {nearest}? (there are: {})",
        SETTINGS.join(", ")
    )
}

/// Returns the settings in `[package.metadata.actor-test]` in the manifest of the package under test.
pub(crate) fn manifest() -> Result<Overrides, Malformed> {
    match std::env::var_os("CARGO_MANIFEST_DIR") {
        None => Ok(Overrides::default()),
        Some(directory) => manifest_at(&Path::new(&directory).join("Cargo.toml")),
    }
}

fn manifest_at(path: &Path) -> Result<Overrides, Malformed> {
    // Most manifests lack the section and are not parsed.
    let text = std::fs::read_to_string(path).unwrap_or_default();
    if !text.contains("actor-test") || !text.contains("metadata") {
        return Ok(Overrides::default());
    }
    let document: Value = toml::from_str(&text).unwrap_or_default();
    metadata(&document["package"]["metadata"])
}

/// Returns the settings in a package's metadata.
pub fn metadata(metadata: &Value) -> Result<Overrides, Malformed> {
    let mut overrides = Overrides::default();
    let Some(section) = metadata.get("actor-test") else {
        return Ok(overrides);
    };
    let malformed = |key: &str, problem: String| Malformed {
        place: format!("Cargo.toml, [package.metadata.actor-test], {key}"),
        problem,
    };
    let Some(section) = section.as_object() else {
        return Err(malformed("the section", "expected a table".into()));
    };
    for (key, value) in section {
        let problem = |problem| malformed(&format!("{key} = {value}"), problem);
        let name = KEYS.iter().find(|(known, _)| *known == key.as_str());
        let (_, variable) = name.ok_or_else(|| problem(unknown_key(key)))?;
        set(&mut overrides, variable, &text(value)).map_err(problem)?;
    }
    Ok(overrides)
}

/// The keys of the section, each with the variable of the same meaning and form.
const KEYS: [(&str, &str); 13] = [
    ("iterations", ITERATIONS),
    ("seed", SEED),
    ("strategy", STRATEGY),
    ("max-steps", MAX_STEPS),
    ("temperature", TEMPERATURE),
    ("hang-timeout", HANG_TIMEOUT),
    ("keep-going", KEEP_GOING),
    ("deny", DENY),
    ("minimize", MINIMIZE),
    ("explain", EXPLAIN),
    ("faults", FAULTS),
    ("delivery", DELIVERY),
    ("clocks", CLOCKS),
];

fn unknown_key(key: &str) -> String {
    let known = KEYS.map(|(known, _)| known);
    let nearest = known
        .iter()
        .min_by_key(|known| strsim::levenshtein(key, known));
    let nearest = nearest.copied().unwrap_or("seed");
    format!(
        "there is no such setting; did you mean `{nearest}`? (there are: {})",
        known.join(", ")
    )
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::overrides::MaxSteps;

    fn variable(name: &str, value: &str) -> Result<Overrides, String> {
        read([(name.into(), value.into())]).map_err(|malformed| malformed.to_string())
    }

    #[test]
    fn a_variable_is_read() {
        assert_eq!(variable(ITERATIONS, "7").unwrap().iterations, Some(7));
        assert_eq!(
            variable(MAX_STEPS, "5:6").unwrap().max_steps,
            Some(MaxSteps::Steps(5, Some(6)))
        );
        let search = variable(STRATEGY, "random, dfs:9").unwrap().search;
        assert_eq!(search, Some(vec!["random".into(), "dfs:9".into()]));
        assert_eq!(variable("PATH", "x").unwrap(), Overrides::default());
    }

    #[test]
    fn a_malformed_variable_says_where_and_what() {
        let error = variable(SEED, "seven").unwrap_err();
        assert_eq!(
            error,
            "variable ACTOR_TEST_SEED = \"seven\": expected a number, `7` for instance, or `random`"
        );
        let error = variable("ACTOR_TEST_ITERATION", "7").unwrap_err();
        assert!(
            error.contains("did you mean ACTOR_TEST_ITERATIONS?"),
            "{error}"
        );
    }

    #[test]
    fn the_manifest_says_where_and_what() {
        let read =
            |value| metadata(&json!({ "actor-test": value })).map_err(|error| error.to_string());
        assert_eq!(
            read(json!({ "iterations": 7 })).unwrap().iterations,
            Some(7)
        );
        let two = read(json!({ "strategy": ["random", "dfs"] }))
            .unwrap()
            .search;
        assert_eq!(two, Some(vec!["random".into(), "dfs".into()]));
        let denied = read(json!({ "deny": ["vacuous", "unreached"] })).unwrap();
        let both = crate::settings::Deny::default()
            .with_vacuous()
            .with_unreached();
        assert_eq!(denied.deny, Some(both));
        let error = read(json!({ "max-step": 7 })).unwrap_err();
        assert!(error.contains("max-step = 7: there is no such setting; did you mean `max-steps`"));
        let error = read(json!({ "seed": -1 })).unwrap_err();
        assert!(
            error.starts_with("Cargo.toml, [package.metadata.actor-test], seed = -1: expected")
        );
    }
}
