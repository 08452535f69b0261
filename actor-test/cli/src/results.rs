//! Results files (`--results`): the reports of one part of a search, for `merge`.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Trouble;
use super::build::TestTarget;
use actor_test::Report;

/// The value of the field `format`, with which the file begins.
const FORMAT: &str = "actor-test results";

/// The only version written and read, since parts are merged soon after they ran.
const VERSION: u64 = 3;

/// The reports of one part of a search.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Results {
    format: String,
    version: u64,
    tool: String,
    pub(crate) tests: Vec<TestResult>,
}

/// The report of a test, with its package and target.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TestResult {
    #[serde(flatten)]
    pub(crate) home: TestTarget,
    pub(crate) report: Report,
}

impl Results {
    pub(crate) fn new(tests: Vec<TestResult>) -> Self {
        Self {
            format: FORMAT.into(),
            version: VERSION,
            tool: env!("CARGO_PKG_VERSION").into(),
            tests,
        }
    }

    /// Writes the results, and creates the directory if needed.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Trouble> {
        let problem = |why: &dyn ToString| {
            Trouble(format!(
                "can't write {}: {}",
                path.display(),
                why.to_string()
            ))
        };
        let text = serde_json::to_vec(self).map_err(|error| problem(&error))?;
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory).map_err(|error| problem(&error))?;
        }
        std::fs::write(path, text).map_err(|error| problem(&error))
    }

    pub(crate) fn read(path: &Path) -> Result<Self, Trouble> {
        let shown = path.display();
        let text =
            std::fs::read(path).map_err(|error| Trouble(format!("can't read {shown}: {error}")))?;
        let foreign = |why: &str| {
            Trouble(format!(
                "{shown} holds no results of a part of a search: {why}; `cargo actor-test \
                 --partition K/N --results FILE` writes them"
            ))
        };
        let value: serde_json::Value =
            serde_json::from_slice(&text).map_err(|error| foreign(&error.to_string()))?;
        if value["format"] != FORMAT {
            return Err(foreign("it does not say that it does"));
        }
        if value["version"] != VERSION || value["tool"] != env!("CARGO_PKG_VERSION") {
            return Err(Trouble(format!(
                "{shown} was written by actor-test {}, and this is {}; merge with the same version",
                value["tool"].as_str().unwrap_or("of some version"),
                env!("CARGO_PKG_VERSION")
            )));
        }
        serde_json::from_value(value).map_err(|error| foreign(&error.to_string()))
    }
}
