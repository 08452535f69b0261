//! The JSON document of a recorded execution, for pages and other tools.

use serde::Serialize;

use super::Trace;
use crate::data::bug::{Cycle, Finding};
use crate::data::causes::Causes;
use crate::data::story::Story;

/// The value of the field `format`, with which the document begins.
const FORMAT: &str = "actor-test story";

/// The version of the document; raise it whenever a field changes its meaning.
const VERSION: u32 = 1;

/// The document; [`story`](crate::data::story) describes the fields of the story.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    format: &'static str,
    version: u32,
    actor_test: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<&'a str>,
    test: &'a str,
    strategy: &'a str,
    seed: u64,
    iteration: u64,
    token: &'a str,
    finding: &'a Finding,
    bounds: Limits,
    fair_from: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<Cycle>,
    #[serde(skip_serializing_if = "Option::is_none")]
    causes: Option<&'a Causes>,
    #[serde(flatten)]
    story: &'a Story,
}

/// The bounds of the execution: steps and temperature.
#[derive(Debug, Serialize)]
struct Limits {
    unfair: u64,
    fair: u64,
    temperature: u64,
}

impl<'a> Document<'a> {
    /// Returns the document of a trace, with its story or a part of the story.
    pub fn of(trace: &'a Trace, story: &'a Story) -> Self {
        Self {
            format: FORMAT,
            version: VERSION,
            actor_test: &trace.actor_test,
            package: trace.package.as_deref(),
            test: &trace.test,
            strategy: &trace.strategy,
            seed: trace.seed,
            iteration: trace.iteration,
            token: &trace.token,
            finding: &trace.finding,
            bounds: Limits {
                unfair: trace.bounds.unfair(),
                fair: trace.bounds.fair(),
                temperature: trace.bounds.temperature(),
            },
            fair_from: trace.fair_from,
            cycle: trace.cycle,
            causes: trace.causes(),
            story,
        }
    }
}
