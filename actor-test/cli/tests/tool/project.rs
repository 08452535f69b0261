//! The project under test, and runs of the tool on it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Runs the tool on the shared project.
pub(crate) fn tool() -> Run {
    Run::new(env!("CARGO_BIN_EXE_cargo-actor-test")).arg("actor-test")
}

/// Runs a program on the shared project.
pub(crate) fn named(program: &str) -> Run {
    Run::new(program)
}

/// Runs `cargo test` on the shared project, with the tool's profile so that nothing is rebuilt.
pub(crate) fn cargo_test() -> Run {
    Run::new(env!("CARGO")).args("test --profile actor-test")
}

/// Returns the directory of the shared project.
pub(crate) fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("specimens");
        write(&directory);
        directory
    })
}

/// Copies the project without its tests to another directory, with additions to its manifest.
pub(crate) fn copy(more: &str) -> tempfile::TempDir {
    let project = traces();
    for file in ["Cargo.toml", "Cargo.lock", "src/lib.rs"] {
        let to = project.path().join(file);
        fs::create_dir_all(to.parent().expect("files are in directories")).expect("a directory");
        let text = fs::read_to_string(directory().join(file)).expect("a file of the project");
        let text = text.replace(
            "members = [\"twins/one\", \"twins/two\", \"twins/both\"]\n",
            "",
        );
        // Settings in `more` replace those of the manifest.
        let text = match more.contains("[package.metadata.actor-test]") {
            true => text.replace("[package.metadata.actor-test]\niterations = 100\n", ""),
            false => text,
        };
        let text = text.replace("[[test]]\nname = \"no_harness\"\nharness = false\n", more);
        fs::write(to, text).expect("a file of the copy");
    }
    project
}

pub(crate) fn traces() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn write(directory: &Path) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tool lies below the tester");
    let core = crates.with_file_name("actor-core");
    let manifest = format!(
        r#"[package]
name = "specimens"
version = "0.1.0"
edition = "2024"

[workspace]
members = ["twins/one", "twins/two", "twins/both"]

[features]
fixed = []
changed = []

[dependencies]
actor-core = {{ path = '{}' }}

[dev-dependencies]
actor-test = {{ path = '{}' }}
tokio = {{ version = "1", default-features = false, features = ["rt", "time"] }}

[[test]]
name = "no_harness"
harness = false

[package.metadata.actor-test]
iterations = 100

# As the tool has it, so that `cargo test` takes what the tool has built.
[profile.actor-test]
inherits = "release"
debug-assertions = true
overflow-checks = true
debug = "line-tables-only"
lto = "off"

# The little that is explored here takes less than optimising the tester and what it stands on. Line numbers of
# their code are in no report.
[profile.actor-test.package."*"]
opt-level = 0
debug = false

# A native debugger steps through it.
[profile.actor-test.package.actor-test]
opt-level = 0
debug = "full"

[profile.actor-test.package.specimens]
opt-level = 1

[profile.actor-test.package.one]
opt-level = 1

[profile.actor-test.package.two]
opt-level = 1

[profile.actor-test.package.both]
opt-level = 1
"#,
        core.display(),
        crates.display()
    );
    keep(&directory.join("Cargo.toml"), &manifest);
    keep(
        &directory.join("src/lib.rs"),
        include_str!("../specimens/lib.rs"),
    );
    keep(
        &directory.join("tests/bad.rs"),
        include_str!("../specimens/bad.rs"),
    );
    keep(
        &directory.join("tests/parameters.rs"),
        include_str!("../specimens/parameters.rs"),
    );
    keep(&directory.join("tests/no_harness.rs"), NO_HARNESS);
    for twin in ["one", "two"] {
        let manifest = format!(
            "[package]\nname = \"{twin}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dev-dependencies]\n\
             actor-core = {{ path = '{}' }}\nactor-test = {{ path = '{}' }}\n",
            core.display(),
            crates.display()
        );
        let package = directory.join("twins").join(twin);
        keep(&package.join("Cargo.toml"), &manifest);
        keep(&package.join("src/lib.rs"), "//! A twin.\n");
        keep(
            &package.join("tests/twin.rs"),
            include_str!("../specimens/twin.rs"),
        );
    }
    let manifest = format!(
        "[package]\nname = \"both\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dev-dependencies]\n\
         actor-core = {{ path = '{}' }}\nactor-test = {{ path = '{}' }}\n",
        core.display(),
        crates.display()
    );
    let package = directory.join("twins/both");
    keep(&package.join("Cargo.toml"), &manifest);
    keep(
        &package.join("src/lib.rs"),
        "//! A library.\n#[cfg(test)]\nmod tests;\n",
    );
    keep(
        &package.join("src/main.rs"),
        "//! A program of the same name.\n#[cfg(test)]\nmod tests;\nfn main() {}\n",
    );
    keep(
        &package.join("src/tests.rs"),
        include_str!("../specimens/twin.rs"),
    );
    // The lock file has versions that are already downloaded.
    let lock = crates.with_file_name("Cargo.lock");
    if !directory.join("Cargo.lock").exists() {
        fs::copy(lock, directory.join("Cargo.lock")).expect("the lock file of the workspace");
    }
}

/// A binary without a marker; it fails if run, so the tool must not run it.
const NO_HARNESS: &str = "fn main() { let actor_test = \"\"; panic!(\"a binary without a marker was run{actor_test}\") }\n";

/// Writes a file if it differs, so that cargo rebuilds as little as possible.
fn keep(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|present| present == text) {
        return;
    }
    fs::create_dir_all(path.parent().expect("files are in directories")).expect("a directory");
    fs::write(path, text).expect("a file of the project");
}

/// Returns true for variables with paths of programs, caches and temporary files, or with proxies; and for
/// those of rustup, which could otherwise update the toolchain that a `rust-toolchain.toml` of a dependency names.
fn is_a_place(variable: &str) -> bool {
    const PLACES: [&str; 10] = [
        "PATH",
        "HOME",
        "TMPDIR",
        "TMP",
        "TEMP",
        "USERPROFILE",
        "APPDATA",
        "LOCALAPPDATA",
        "SYSTEMROOT",
        "CARGO_HOME",
    ];
    let name = variable.to_uppercase();
    PLACES.contains(&&*name)
        || name.starts_with("CARGO_REGISTR")
        || name.starts_with("RUSTUP_")
        || name.ends_with("_PROXY")
}

pub(crate) struct Run {
    command: Command,
}

impl Run {
    fn new(program: &str) -> Self {
        let mut command = Command::new(program);
        command.current_dir(directory());
        // Settings in this process's environment must not affect the tool; only paths are kept.
        for (name, _) in std::env::vars_os() {
            if !name.to_str().is_some_and(is_a_place) {
                command.env_remove(name);
            }
        }
        command
            .env("CARGO", env!("CARGO"))
            .env("CARGO_TARGET_DIR", directory().join("target"))
            .env("RUST_BACKTRACE", "0")
            .env("PWD", directory());
        Self { command }
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Adds arguments, separated by spaces.
    pub(crate) fn args(mut self, arguments: &str) -> Self {
        self.command.args(arguments.split_whitespace());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Limits the search for shorter executions and for causes, which takes the longest by far.
    pub(crate) fn short_of_steps(self) -> Self {
        self.env("ACTOR_TEST_MINIMIZE", "20000")
            .env("ACTOR_TEST_EXPLAIN", "20000")
    }

    pub(crate) fn traces(self, directory: &tempfile::TempDir) -> Self {
        self.env("ACTOR_TEST_TRACE_DIR", directory.path())
    }

    /// Returns the exit code if nobody reads standard output.
    pub(crate) fn unheard(mut self) -> Option<i32> {
        let (stdout, stderr) = (std::process::Stdio::piped(), std::process::Stdio::null());
        let mut child = self
            .command
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .expect("the command runs");
        drop(child.stdout.take());
        child.wait().expect("it ends").code()
    }

    pub(crate) fn command(self) -> Command {
        self.command
    }

    /// Runs in another directory.
    pub(crate) fn within(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory).env("PWD", directory);
        self
    }

    pub(crate) fn run(mut self) -> Said {
        let Output {
            status,
            stdout,
            stderr,
        } = self.command.output().expect("the command runs");
        Said {
            code: status.code(),
            stdout: String::from_utf8(stdout).expect("words are UTF-8"),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    /// Returns the message of an error, without cargo's output before it.
    #[track_caller]
    pub(crate) fn error(&self) -> &str {
        assert_eq!(self.code, Some(2), "{self:?}");
        let at = self
            .stderr
            .find("error: ")
            .unwrap_or_else(|| panic!("no error: {self:?}"));
        self.stderr[at..].trim_end()
    }

    /// Returns standard output, redacted.
    #[track_caller]
    pub(crate) fn words(&self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        redact(&self.stdout)
    }
}

/// Removes times, directories and thread ids.
pub(crate) fn redact(text: &str) -> String {
    let directory = format!("{}/", directory().display());
    let text = text.replace(&directory, "");
    let lines: Vec<String> = text.lines().map(redact_line).collect();
    lines.join("\n")
}

fn redact_line(line: &str) -> String {
    let mut line = line.to_owned();
    if let Some(at) = line.find("· found in ") {
        line.truncate(at);
        line += "· found in [time]";
    }
    if let Some((before, after)) = line.split_once("which took about ")
        && let Some((_, after)) = after.split_once(" µs")
    {
        line = format!("{before}which took about [time]{after}");
    }
    let is_timed = line.starts_with("PASS") || line.contains(" new");
    // In XML, the element may end in this line.
    let end = line.find("</").unwrap_or(line.len());
    if is_timed && line[..end].ends_with(" s") {
        let at = line[..end].rfind(", ").unwrap_or(end);
        line.replace_range(at..end, ", [time]");
    }
    for word in ["/tmp/.tmp", "thread '"] {
        if let Some(at) = line.find(word) {
            let from = at + word.len();
            let end = line[from..]
                .find(['/', ')'])
                .map_or(line.len(), |end| from + end);
            line.replace_range(from..end, "…");
        }
    }
    line
}
