//! The tests: the mutants that each reaches, and the outcome of each mutant.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::tree::Tree;

/// A test executable, and the folder in which it runs.
#[derive(Clone)]
struct Executable {
    path: PathBuf,
    folder: PathBuf,
    package: String,
}

/// A test that can be run by itself.
pub struct Candidate {
    executable: Executable,
    name: String,
}

/// The result of a test in the original program.
pub struct Test {
    pub name: String,
    pub passed: bool,
    pub seconds: f64,
    executable: Executable,
    reaches: BTreeSet<usize>,
}

/// The outcome of a mutant.
pub enum Outcome {
    /// The mutant is caught: this test fails.
    Failed(String),
    /// The mutant is caught: this test takes many times as long.
    Slow(String),
    /// The mutant is missed: this number of tests reaches it, and all pass.
    Missed(usize),
}

impl Outcome {
    pub fn is_killed(&self) -> bool {
        !matches!(self, Self::Missed(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(test) => write!(f, "killed by {test}:"),
            Self::Slow(test) => write!(f, "killed, since it makes {test} slow:"),
            Self::Missed(0) => write!(f, "MISSED, since no test reaches it:"),
            Self::Missed(tests) => write!(f, "MISSED by {tests} tests:"),
        }
    }
}

/// Builds the tests, and lists them.
pub fn all(tree: &Tree) -> Result<Vec<Candidate>, String> {
    let arguments = [
        "--quiet",
        "--profile",
        "mutants",
        "-p",
        "actor-test",
        "-p",
        "behaviour",
        "--lib",
        "--test",
        "all",
    ];
    let output = tree
        .cargo()
        .args(["test", "--no-run", "--message-format", "json"])
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err("the tests do not compile".to_owned());
    }
    let mut candidates = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(artifact) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let (Some(path), Some(manifest)) = (
            artifact["executable"].as_str(),
            artifact["manifest_path"].as_str(),
        ) else {
            continue;
        };
        let folder = PathBuf::from(manifest)
            .parent()
            .expect("a manifest has a folder")
            .to_owned();
        let package = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let executable = Executable {
            path: path.into(),
            folder,
            package,
        };
        let listed = executable
            .command()
            .args(["--list", "--format", "terse"])
            .output();
        let listed = listed.map_err(|error| format!("failed to run {path}: {error}"))?;
        for line in String::from_utf8_lossy(&listed.stdout).lines() {
            if let Some(name) = line.strip_suffix(": test") {
                candidates.push(Candidate {
                    executable: executable.clone(),
                    name: name.to_owned(),
                });
            }
        }
    }
    Ok(candidates)
}

/// Runs each test once in the original program.
pub fn baseline(tree: &Tree, candidates: &[Candidate], jobs: usize) -> Vec<Test> {
    let next = AtomicUsize::new(0);
    let tests = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(candidate) = candidates.get(index) else {
                        break;
                    };
                    let reached = tree.target.join(format!("reached-{index}"));
                    let _ = std::fs::remove_file(&reached);
                    let start = Instant::now();
                    let command = &mut candidate.executable.command();
                    command
                        .args(["--exact", &candidate.name])
                        .env("MUTANTS_REACHED", &reached);
                    let passed = finish(command, Duration::from_secs(600)) == Some(true);
                    let seconds = start.elapsed().as_secs_f64();
                    let reaches = std::fs::read_to_string(&reached).unwrap_or_default();
                    let reaches = reaches
                        .lines()
                        .filter_map(|number| number.parse().ok())
                        .collect();
                    let Executable { package, .. } = &candidate.executable;
                    let name = format!("{package} {}", candidate.name);
                    let executable = candidate.executable.clone();
                    let test = Test {
                        name,
                        passed,
                        seconds,
                        executable,
                        reaches,
                    };
                    tests.lock().expect("no thread panics").push(test);
                }
            });
        }
    });
    let mut tests = tests.into_inner().expect("no thread panics");
    tests.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    tests
}

/// Runs the tests that reach a mutant until one fails, the quickest first.
pub fn try_one(known: &[Test], number: usize) -> Outcome {
    let mut tried = 0;
    for test in known
        .iter()
        .filter(|test| test.passed && test.reaches.contains(&number))
    {
        let name = test
            .name
            .split_once(' ')
            .expect("a name begins with its package")
            .1;
        let command = &mut test.executable.command();
        command
            .args(["--exact", name])
            .env("MUTANT", number.to_string());
        tried += 1;
        match finish(command, Duration::from_secs_f64(20.0 + 10.0 * test.seconds)) {
            Some(true) => {}
            Some(false) => return Outcome::Failed(test.name.clone()),
            None => return Outcome::Slow(test.name.clone()),
        }
    }
    Outcome::Missed(tried)
}

impl Executable {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        let environment = BTreeMap::from([("CARGO_MANIFEST_DIR", &self.folder)]);
        command
            .current_dir(&self.folder)
            .envs(environment)
            .stdin(Stdio::null());
        command
    }
}

/// Returns true if the command succeeds; `None` if it exceeds the time limit.
fn finish(command: &mut Command, limit: Duration) -> Option<bool> {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    let mut child = command.spawn().expect("the executable is there");
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait().expect("a child can be waited for") {
            Some(status) => return Some(status.success()),
            None if start.elapsed() > limit => {
                // The whole process group is killed: the test may have started other processes.
                let _ = Command::new("kill")
                    .args(["-KILL", "--", &format!("-{}", child.id())])
                    .status();
                let _ = child.wait();
                return None;
            }
            None => std::thread::sleep(pause),
        }
        pause = (2 * pause).min(Duration::from_millis(20));
    }
}
