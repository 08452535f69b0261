//! Replays of edited samples: the step of divergence, and whether the bug is found again.
//!
//! Each edit is a build of its own, so the test runs only in `.ci/long`. The book shows the table.

use std::fs;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use serde_json::Value;
use tempfile::TempDir;

use crate::project::{Run, tool, traces};

/// A bug of a sample, and edits of the sample.
struct Case {
    sample: &'static str,
    /// The test that finds the bug.
    test: &'static str,
    /// The edits by name, each with its files; each text is replaced at every occurrence.
    edits: &'static [(&'static str, &'static [Edit])],
}

/// A file, a text in it, and the replacement.
type Edit = (&'static str, &'static str, &'static str);

const CASES: [Case; 3] = [
    Case {
        sample: "german",
        test: "an_acknowledgement_is_somebodys",
        edits: &[
            ("nothing", &[]),
            (
                "a log line",
                &[(
                    "home.rs",
                    "        self.take_back(&ack);",
                    "        tracing::info!(\"a copy comes back\");\n        self.take_back(&ack);",
                )],
            ),
            (
                "a renamed field",
                &[
                    ("home.rs", "self.invalidated", "self.in_the_way"),
                    ("home.rs", " invalidated:", " in_the_way:"),
                ],
            ),
            (
                "an event added",
                &[
                    (
                        "events.rs",
                        "/// A cache has to give its copy up.",
                        "/// A cache is told that its turn comes.\n#[derive(Debug, Hash)]\npub struct Soon;\n\n\
                         /// A cache has to give its copy up.",
                    ),
                    (
                        "cache.rs",
                        "impl Cache {",
                        "impl Cache {\n    #[on]\n    fn soon(&mut self, _: super::Soon) {}\n",
                    ),
                    (
                        "home.rs",
                        "        self.request = Some(Request::Exclusive(request.from));",
                        "        request.from.tell(super::Soon);\n        \
                         self.request = Some(Request::Exclusive(request.from));",
                    ),
                ],
            ),
            (
                "a renamed event",
                &[
                    ("home.rs", "InvAck", "CopyGivenUp"),
                    ("cache.rs", "InvAck", "CopyGivenUp"),
                    ("events.rs", "InvAck", "CopyGivenUp"),
                    ("specifications.rs", "InvAck", "CopyGivenUp"),
                ],
            ),
            (
                "an actor more",
                &[(
                    "mod.rs",
                    "    (0..caches)",
                    "    sys.spawn(Cache::new(home.clone(), bug));\n    (0..caches)",
                )],
            ),
            (
                "the fix",
                &[("home.rs", "if self.bug == Some(Bug::CountAcks)", "if false")],
            ),
        ],
    },
    Case {
        sample: "two_phase_commit",
        test: "the_clock_is_stopped_too_late",
        edits: &[
            (
                "a reordered send",
                &[
                    (
                        "coordinator.rs",
                        "        self.clock.tell(StartTimer {\n            coordinator: cx.me(),\n        });\n",
                        "",
                    ),
                    (
                        "coordinator.rs",
                        "        self.votes.clear();\n",
                        "        self.votes.clear();\n        self.clock.tell(StartTimer {\n            \
                         coordinator: cx.me(),\n        });\n",
                    ),
                ],
            ),
            (
                "a choice more",
                &[(
                    "participant.rs",
                    "        let tx = prepare.tx;\n",
                    "        let tx = prepare.tx;\n        let _ = cx.choose_bool();\n",
                )],
            ),
            (
                "a longer timer",
                &[("participant.rs", "from_millis(200)", "from_millis(350)")],
            ),
            (
                "a handler made async",
                &[("coordinator.rs", "    fn vote(", "    async fn vote(")],
            ),
            ("a client less", &[("tests.rs", "clients: 4", "clients: 3")]),
            (
                "the fix",
                &[(
                    "coordinator.rs",
                    "Some(Bug::TimerRace) => To::Ready",
                    "Some(Bug::TimerRace) => To::Cancelling",
                )],
            ),
        ],
    },
    Case {
        sample: "replicated_counter",
        test: "an_early_answer_loses_what_it_acknowledged",
        edits: &[
            (
                "a message between nodes twice",
                &[(
                    "replica.rs",
                    "        hello.0.tell(self.knowledge(cx));",
                    "        hello.0.tell(self.knowledge(cx));\n        \
                     hello.0.tell(self.knowledge(cx));",
                )],
            ),
            (
                "a node more",
                &[
                    ("mod.rs", "[&str; 3]", "[&str; 4]"),
                    (
                        "mod.rs",
                        "[\"n1\", \"n2\", \"n3\"]",
                        "[\"n0\", \"n1\", \"n2\", \"n3\"]",
                    ),
                ],
            ),
            (
                "the fix",
                &[(
                    "replica.rs",
                    "Some(Bug::EarlyAnswer) => reply.send(own)",
                    "Some(Bug::EarlyAnswer) => self.waiting.push((own, reply))",
                )],
            ),
        ],
    },
];

/// Replays diverge where they must, and the bug is found again if it is still there.
#[test]
#[ignore = "a build for each edit: a minute and more"]
fn samples_are_edited() {
    let mut rows = Vec::new();
    for case in &CASES {
        let project = Project::of(case.sample);
        let (_traces, trace) = project.failing(case.test);
        for (name, edits) in case.edits {
            project.edit(edits);
            let replay = project.tool().arg("replay").arg(&trace);
            let said = replay.args("--format json").run();
            let replayed: Value = serde_json::from_str(&said.stdout)
                .unwrap_or_else(|error| panic!("{name}: {error}: {said:?}"));
            rows.push(row(case.sample, name, &replayed));
        }
    }
    assert_snapshot!(rows.join("\n"));
}

/// Returns a row of the book's table.
fn row(sample: &str, name: &str, replayed: &Value) -> String {
    let parted = match &replayed["diverged"] {
        Value::Null => "nowhere".into(),
        parted => format!(
            "step {}: {}",
            parted["step"],
            parted["message"].as_str().unwrap_or_default()
        ),
    };
    let near = &replayed["near"];
    let found = match (&replayed["is_still_there"], &near["bug"]) {
        (Value::Bool(true), _) => "by the recorded steps".into(),
        (_, Value::Null) => format!("no, nor in {} near it", near["executions"]),
        (_, bug) => {
            let message = bug["finding"]["message"].as_str().unwrap_or_default();
            format!("in {} near it: {message}", near["executions"])
        }
    };
    format!("| {sample} | {name} | {parted} | {found} |")
}

/// A copy of a sample, in a package of its own.
struct Project {
    directory: PathBuf,
    sample: &'static str,
}

impl Project {
    fn of(sample: &'static str) -> Self {
        let copies = Path::new(env!("CARGO_TARGET_TMPDIR")).join("edited");
        let project = Self {
            directory: copies.join(sample),
            sample,
        };
        let root = checkout();
        let manifest = format!(
            "[package]\nname = \"{sample}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\nactor-core = {{ path = '{0}/actor-core' }}\nserde = {{ version = \"1\", features = \
             [\"derive\"] }}\ntracing = {{ version = \"0.1\", default-features = false }}\n\n[dev-dependencies]\n\
             actor-test = {{ path = '{0}/actor-test' }}\n",
            root.display()
        );
        fs::create_dir_all(project.directory.join("src").join(sample)).expect("a directory");
        let write = |file: &str, text: &str| {
            fs::write(project.directory.join(file), text).expect("a file of the copy");
        };
        write("Cargo.toml", &manifest);
        write("src/lib.rs", &format!("//! A copy.\npub mod {sample};\n"));
        let lock = project.directory.join("Cargo.lock");
        fs::copy(root.join("Cargo.lock"), lock).expect("the lock file of the workspace");
        project.edit(&[]);
        project
    }

    /// Writes the sample with these edits.
    fn edit(&self, edits: &[Edit]) {
        let sources = checkout().join("samples/src").join(self.sample);
        let mut applied = 0;
        for file in fs::read_dir(sources).expect("the sample is there") {
            let file = file.expect("a file of the sample");
            let name = file.file_name().into_string().expect("a name");
            let mut text = fs::read_to_string(file.path()).expect("a source of the sample");
            for (_, from, to) in edits.iter().filter(|(file, ..)| *file == name) {
                assert!(text.contains(from), "{name} has no {from:?} any more");
                text = text.replace(from, to);
                applied += 1;
            }
            let path = self.directory.join("src").join(self.sample).join(name);
            fs::write(path, text).expect("a file of the copy");
        }
        assert_eq!(applied, edits.len(), "every edit has its file");
    }

    fn tool(&self) -> Run {
        tool().within(&self.directory)
    }

    /// Returns the trace of a test that finds its bug.
    fn failing(&self, test: &str) -> (TempDir, PathBuf) {
        let traces = traces();
        let said = self.tool().arg(test).traces(&traces).run();
        let mut written = fs::read_dir(traces.path()).expect("a directory");
        let trace = written
            .next()
            .unwrap_or_else(|| panic!("no trace: {said:?}"));
        let trace = trace.expect("a file").path();
        (traces, trace)
    }
}

fn checkout() -> PathBuf {
    let mut checkout = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    checkout.pop();
    checkout.pop();
    checkout
}
