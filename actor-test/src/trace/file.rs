//! Trace files: recorded executions as documents.
//!
//! A trace is one JSON document that begins with its format and [version](super::format). [`place`](super::place)
//! has where it lies.
//!
//! What is written depends on the test, its settings and the seed alone: it has no times, no
//! absolute paths and no hash of the executable, so that `-j 1`, `-j 2`, `cargo test` and the
//! optimised build of the tool write the same bytes. Whether a trace still belongs to its test is
//! told by replaying it: each decision carries a hash of the question that it answers, which finds
//! any change that matters and none that doesn't, where a hash of the executable would complain
//! about each.

use std::fs;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::data::bug::{Cycle, Finding};
use crate::data::causes::Causes;
use crate::data::story::{Story, Unpacking};
use crate::hash;
use crate::report::facts::{Bug, Recording};
use crate::report::words;
use crate::settings::{Bounds, Delivery, Semantics};
use crate::trace::error::TraceError;
use crate::trace::format::{BYTES_MAX, FORMAT, SCHEDULES, VERSION, version};
use crate::trace::{schedule, story};

/// The document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trace {
    format: String,
    version: u32,
    /// The version of actor-test that wrote it.
    pub actor_test: String,
    /// The package of the test, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The test.
    pub test: String,
    /// The strategy that found it.
    pub strategy: String,
    /// The session's seed.
    pub seed: u64,
    /// The iteration, from one.
    pub iteration: u64,
    /// Reproduces the execution without the trace.
    pub token: String,
    /// What was found.
    pub finding: Finding,
    pub(super) bounds: Bounds,
    semantics: Semantics,
    pub(super) fair_from: Option<u64>,
    /// The seed of the answers in the operating system's place, where the program asked it for random
    /// bytes.
    #[serde(default)]
    system: Option<u64>,
    /// Where a liveness bug goes round, if that was seen: lassos are looked for in the replay.
    #[serde(default)]
    pub(super) cycle: Option<Cycle>,
    /// A hash of all that decides the execution, to tell an edited trace.
    digest: String,
    decisions: Vec<u32>,
    checks: Vec<u32>,
    #[serde(default)]
    schedule: String,
    /// Why it failed, where that was looked for.
    #[serde(default)]
    causes: Option<Causes>,
    #[serde(deserialize_with = "story::read")]
    story: Story,
}

impl Trace {
    /// The trace of a bug of a test of a package.
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

    /// Reads what the file `path` holds.
    ///
    /// Whatever it holds, an error is all that can come of it, and what is made of it takes no more
    /// memory than a few times its length: its JSON becomes nothing but what is asked for.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Self, TraceError> {
        let path = path.to_owned();
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(TraceError::Empty { path });
        }
        let head: Head = match serde_json::from_slice(bytes) {
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

    /// The document, with a line for each field and each step of the story.
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

    /// It was written when schedules were other ones, by this version of actor-test.
    pub fn older(&self) -> Option<&str> {
        (self.version < SCHEDULES).then_some(&self.actor_test)
    }

    /// The trace of an execution that was made of this one, and is found in the same way: what it
    /// fails with, its recording and its causes are those of the bug.
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

    /// The trace of another execution of the same test, which a debugger has made of this one: why it
    /// fails is not known. Where it took other decisions no token leads to it, nor does a strategy alone:
    /// `strategy` says what has made them.
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

    /// What it takes to run it again.
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

    /// Why it failed, where that was looked for.
    pub fn causes(&self) -> Option<&Causes> {
        self.causes.as_ref()
    }

    /// What happened, step by step.
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
        // What is newer than the format counts where it is used: older traces keep their digest.
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

/// What is read first: whether it is a trace, of which version, and the texts that its story is told
/// with.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u64,
    #[serde(default)]
    story: Option<story::Texts>,
}

fn not_a_trace() -> String {
    format!("it is JSON, but does not begin with \"format\": \"{FORMAT}\"")
}

/// What an error says, which may quote the file.
fn plain(error: &dyn std::fmt::Display) -> String {
    words::shortened(&error.to_string())
}

pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a trace has text keys only")
}

/// The file, which may be broken JSON, says that it is a trace.
fn claims(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(200)];
    String::from_utf8_lossy(head).contains(FORMAT)
}

#[cfg(test)]
mod tests {
    use super::Trace;
    use crate::data::bug::{BugKind, Cycle, Finding};
    use crate::data::causes::Causes;
    use crate::report::facts::Bug;
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

    /// Steps have other numbers in an execution that was made of another one.
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

    /// As every trace was, before there were cycles.
    #[test]
    fn without_a_cycle_nothing_is_said() {
        let text = trace(None);
        assert!(!text.contains("cycle"));
        let read = Trace::parse("here", text.as_bytes()).expect("it was just written");
        assert_eq!(read.recording().cycle, None);
    }
}
