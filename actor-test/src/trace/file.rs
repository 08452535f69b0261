//! Trace files: recorded executions as JSON documents, with a digest against edits.
//!
//! A trace is one JSON document that begins with its format and [version](super::format).
//! [`place`](super::place) determines its path.
//!
//! The contents depend only on the test, its settings and the seed. They include no times, no absolute paths
//! and no hash of the executable, so `-j 1`, `-j 2`, `cargo test` and the optimised build of the tool write
//! the same bytes. A replay detects a trace that no longer fits its test: each decision has a hash of the
//! question that it answers. These hashes detect every change that matters and no other, whereas a hash of
//! the executable would detect each change.

use std::fs;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::data::bug::{Cycle, Finding};
use crate::data::causes::Causes;
use crate::data::story::{Story, Unpacking};
use crate::hash;
use crate::report::data::{Bug, Recording};
use crate::report::words;
use crate::settings::{Bounds, Delivery, Semantics};
use crate::trace::error::TraceError;
use crate::trace::format::{BYTES_MAX, FORMAT, SCHEDULES, VERSION, version};
use crate::trace::{schedule, story};

/// A trace file's contents: a recorded execution, with the bug and the settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trace {
    format: String,
    version: u32,
    /// The version of actor-test that wrote the trace.
    pub actor_test: String,
    /// The package of the test, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The name of the test.
    pub test: String,
    /// The strategy that found the bug.
    pub strategy: String,
    /// The seed of the session.
    pub seed: u64,
    /// The iteration, counted from one.
    pub iteration: u64,
    /// The token that reproduces the execution without the trace.
    pub token: String,
    /// The bug found.
    pub finding: Finding,
    pub(super) bounds: Bounds,
    semantics: Semantics,
    pub(super) fair_from: Option<u64>,
    /// The seed of the operating system's simulated answers, if the program requested random bytes.
    #[serde(default)]
    system: Option<u64>,
    /// The cycle of a liveness bug, if one was detected; the replay then detects lassos, too.
    #[serde(default)]
    pub(super) cycle: Option<Cycle>,
    /// A hash of everything that determines the execution, to detect an edited trace.
    digest: String,
    decisions: Vec<u32>,
    checks: Vec<u32>,
    #[serde(default)]
    schedule: String,
    /// The causes of the failure, if searched for.
    #[serde(default)]
    causes: Option<Causes>,
    #[serde(deserialize_with = "story::read")]
    story: Story,
}

impl Trace {
    /// Returns the trace of a bug of a test.
    pub(crate) fn of(test: &str, package: Option<&str>, bug: &Bug) -> Self {
        let Recording {
            decisions,
            checks,
            schedule,
            fair_from,
            bounds,
            semantics,
            system,
            cycle,
            story,
        } = bug.trace.clone();
        let mut trace = Self {
            format: FORMAT.into(),
            version: version(system, semantics, cycle, &schedule, &story),
            actor_test: env!("CARGO_PKG_VERSION").into(),
            package: package.map(str::to_owned),
            test: test.into(),
            strategy: bug.strategy.clone(),
            seed: bug.seed,
            iteration: bug.iteration,
            token: bug.token.clone(),
            finding: bug.finding.clone(),
            bounds,
            semantics,
            fair_from,
            system,
            cycle,
            digest: String::new(),
            decisions,
            checks,
            schedule,
            causes: bug.causes.clone(),
            story,
        };
        trace.digest = trace.digest();
        trace
    }

    /// Reads a trace.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        let name = path.display().to_string();
        let mut bytes = Vec::new();
        let file = fs::File::open(path);
        match file.and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut bytes)) {
            Ok(_) if bytes.len() as u64 > BYTES_MAX => Err(TraceError::TooLarge { path: name }),
            Ok(_) => Self::parse(&name, &bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(TraceError::Missing { path: name })
            }
            Err(error) => Err(TraceError::Unreadable {
                path: name,
                error: error.to_string(),
            }),
        }
    }

    /// Parses the contents of the file `path`.
    ///
    /// Any contents lead at worst to an error, and take no more memory than a few times their length, since
    /// only the expected fields of the JSON are kept.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Self, TraceError> {
        let path = path.to_owned();
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(TraceError::Empty { path });
        }
        let head: TraceHeader = match serde_json::from_slice(bytes) {
            Ok(head) => head,
            Err(error) if error.is_eof() && claims(bytes) => {
                let line = error.line();
                return Err(TraceError::Truncated { path, line });
            }
            Err(error) if claims(bytes) => {
                let why = match error.is_data() {
                    true => format!("its beginning can't be read: {}", plain(&error)),
                    false => format!("it is not JSON ({error})"),
                };
                return Err(TraceError::Damaged { path, why });
            }
            Err(error) => {
                let why = match error.is_data() {
                    true => not_a_trace(),
                    false => "it is not JSON".into(),
                };
                return Err(TraceError::Foreign { path, why });
            }
        };
        if head.format != FORMAT {
            let why = not_a_trace();
            return Err(TraceError::Foreign { path, why });
        }
        match head.version {
            0 => {
                let why = "it has no version".into();
                return Err(TraceError::Damaged { path, why });
            }
            found if found > u64::from(VERSION) => {
                let tool = env!("CARGO_PKG_VERSION");
                return Err(TraceError::TooNew { path, found, tool });
            }
            _ => {}
        }
        let _texts = Unpacking::with(head.story.map(|texts| texts.0).unwrap_or_default());
        let mut trace: Self =
            serde_json::from_slice(bytes).map_err(|error| TraceError::Damaged {
                path: path.clone(),
                why: plain(&error),
            })?;
        if trace.decisions.len() != trace.checks.len() || trace.digest != trace.digest() {
            return Err(TraceError::Edited { path });
        }
        schedule::read(&trace.schedule).map_err(|why| TraceError::Damaged {
            path: path.clone(),
            why: format!("its schedule can't be read: {why}"),
        })?;
        if trace.version == 1 {
            trace.iteration = trace.iteration.saturating_add(1);
        }
        Ok(trace)
    }

    /// Formats the document with a line for each field and each step of the story.
    pub(super) fn to_json(&self) -> String {
        let package = self
            .package
            .as_ref()
            .map(|package| ("package", json(package)));
        let first = [
            ("format", json(&self.format)),
            ("version", json(&self.version)),
            ("actor_test", json(&self.actor_test)),
        ];
        let rest = [
            ("test", json(&self.test)),
            ("strategy", json(&self.strategy)),
            ("seed", json(&self.seed)),
            ("iteration", json(&self.iteration)),
            ("token", json(&self.token)),
            ("finding", json(&self.finding)),
            ("bounds", json(&self.bounds)),
            ("semantics", json(&self.semantics)),
            ("fair_from", json(&self.fair_from)),
        ];
        let cycle = self.cycle.as_ref().map(|cycle| ("cycle", json(cycle)));
        let system = self.system.map(|seed| ("system", json(&seed)));
        let last = [
            ("digest", json(&self.digest)),
            ("decisions", json(&self.decisions)),
            ("checks", json(&self.checks)),
            ("schedule", json(&self.schedule)),
        ];
        let causes = self.causes.as_ref().map(|causes| ("causes", json(causes)));
        let story = ("story", story::written(&self.story));
        let fields = first.into_iter().chain(package).chain(rest);
        let fields = fields
            .chain(system)
            .chain(cycle)
            .chain(last)
            .chain(causes)
            .chain([story]);
        let lines: Vec<String> = fields
            .map(|(key, value)| format!("  \"{key}\": {value}"))
            .collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    /// Returns the version of actor-test that wrote the trace, if its schedules differ from today's.
    pub fn older(&self) -> Option<&str> {
        (self.version < SCHEDULES).then_some(&self.actor_test)
    }

    /// Returns the trace of an execution derived from this one, such as a minimised one. The finding, the
    /// recording and the causes are those of `bug`.
    pub fn with(&self, bug: &Bug) -> Self {
        let bug = Bug {
            strategy: self.strategy.clone(),
            seed: self.seed,
            iteration: self.iteration,
            token: self.token.clone(),
            ..bug.clone()
        };
        Self::of(&self.test, self.package.as_deref(), &bug)
    }

    /// Returns the trace of another execution of the same test, made with a debugger from this one. The
    /// causes are unknown. If the decisions differ, neither a token nor a strategy alone reproduces them;
    /// `strategy` describes the origin of the decisions.
    pub fn branch(&self, strategy: &str, finding: Finding, recording: Recording) -> Self {
        let Recording {
            decisions,
            checks,
            schedule,
            fair_from,
            bounds,
            semantics,
            system,
            cycle,
            story,
        } = recording;
        let is_same = self.decisions == decisions && self.bounds == bounds;
        let token = if is_same { &*self.token } else { "" };
        let mut trace = Self {
            version: version(system, semantics, cycle, &schedule, &story),
            actor_test: env!("CARGO_PKG_VERSION").into(),
            strategy: strategy.into(),
            token: token.into(),
            finding,
            bounds,
            semantics,
            fair_from,
            system,
            cycle,
            decisions,
            checks,
            schedule,
            causes: None,
            story,
            ..self.clone()
        };
        trace.digest = trace.digest();
        trace
    }

    /// Returns the data from which the execution can be replayed.
    pub fn recording(&self) -> Recording {
        Recording {
            decisions: self.decisions.clone(),
            checks: self.checks.clone(),
            schedule: self.schedule.clone(),
            fair_from: self.fair_from,
            bounds: self.bounds,
            semantics: self.semantics,
            system: self.system,
            cycle: self.cycle,
            story: self.story.clone(),
        }
    }

    /// Returns the causes of the failure, if searched for.
    pub fn causes(&self) -> Option<&Causes> {
        self.causes.as_ref()
    }

    /// Returns the story of the execution, step by step.
    pub fn story(&self) -> &Story {
        &self.story
    }

    fn digest(&self) -> String {
        let Semantics {
            patient_timers,
            atomic_handlers,
            clock_error,
            supervised,
            faults,
            delivery,
            clocks,
        } = self.semantics;
        let semantics = format!(
            "Semantics {{ patient_timers: {patient_timers}, atomic_handlers: {atomic_handlers}, \
             clock_error: {clock_error:?} }}"
        );
        let mut settings = format!(
            "{:?} {semantics} {:?} {}",
            self.bounds, self.fair_from, self.test
        );
        // Settings newer than the format count only if used, so older traces keep their digest.
        if let Some(cycle) = self.cycle {
            settings += &format!(" {cycle}");
        }
        if supervised {
            settings += " supervised";
        }
        if let Some(seed) = self.system {
            settings += &format!(" system {seed}");
        }
        if !faults.is_none() {
            settings += &format!(" {faults}");
        }
        if delivery != Delivery::default() {
            settings += &format!(" delivery={}", delivery.word());
        }
        if !clocks.is_exact() {
            settings += &format!(" clocks {clocks}");
        }
        if !self.schedule.is_empty() {
            settings += &format!(" {:016x}", hash::text(&self.schedule));
        }
        let numbers = self.decisions.iter().chain(&self.checks);
        let mixed = numbers.fold(hash::text(&settings), |mixed, number| {
            hash::mix(mixed, u64::from(*number))
        });
        format!("{mixed:016x}")
    }
}

/// The part of a trace that is read first: the format, the version, and the texts of the story.
#[derive(Deserialize)]
struct TraceHeader {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u64,
    #[serde(default)]
    story: Option<story::StoryTexts>,
}

fn not_a_trace() -> String {
    format!("it is JSON, but does not begin with \"format\": \"{FORMAT}\"")
}

/// Returns an error's message, shortened, since it may quote the file.
fn plain(error: &dyn std::fmt::Display) -> String {
    words::shortened(&error.to_string())
}

pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a trace has text keys only")
}

/// Returns true if the file, which may be broken JSON, claims to be a trace.
fn claims(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(200)];
    String::from_utf8_lossy(head).contains(FORMAT)
}

#[cfg(test)]
mod tests {
    use super::Trace;
    use crate::data::bug::{BugKind, Cycle, Finding};
    use crate::data::causes::Causes;
    use crate::report::data::Bug;
    use crate::settings::Settings;
    use crate::trace::error::TraceError;

    fn bug(cycle: Option<Cycle>) -> Bug {
        let finding = Finding {
            kind: BugKind::Liveness,
            message: "monitor `Owed` is hot".into(),
            location: None,
            step: 135,
        };
        let mut bug = Bug::unrecorded(finding, "random", 0, &Settings::default());
        bug.trace.cycle = cycle;
        bug
    }

    fn trace(cycle: Option<Cycle>) -> String {
        Trace::of("owed", None, &bug(cycle)).to_json()
    }

    /// Causes are not copied to a derived execution, whose steps have other numbers.
    #[test]
    fn causes_are_those_of_the_execution() {
        let causes = |steps| {
            Some(Causes {
                steps,
                ..Causes::default()
            })
        };
        let of = |steps| Bug {
            causes: causes(steps),
            strategy: "pct(3)".into(),
            ..bug(None)
        };
        let trace = Trace::of("owed", Some("package"), &of(7));
        let shorter = trace.with(&bug(None));
        assert_eq!(shorter.causes(), None);
        assert_eq!(shorter.strategy, "pct(3)");
        assert_eq!(shorter.package.as_deref(), Some("package"));
        assert_eq!(trace.with(&of(9)).causes(), causes(9).as_ref());
    }

    #[test]
    fn a_cycle_is_kept_and_belongs_to_the_digest() {
        let cycle = Some(Cycle::met(112, 116));
        let text = trace(cycle);
        let read = Trace::parse("here", text.as_bytes()).expect("it was just written");
        assert_eq!(read.recording().cycle, cycle);
        let edited = text.replace("\"from\":112", "\"from\":113");
        assert_ne!(edited, text);
        let refused = Trace::parse("here", edited.as_bytes());
        assert!(matches!(refused, Err(TraceError::Edited { .. })));
    }

    /// A trace without a cycle has no such field, as in older versions.
    #[test]
    fn without_a_cycle_nothing_is_said() {
        let text = trace(None);
        assert!(!text.contains("cycle"));
        let read = Trace::parse("here", text.as_bytes()).expect("it was just written");
        assert_eq!(read.recording().cycle, None);
    }
}
