//! Builds the test executables with cargo, in a profile for exploring.

use serde::{Deserialize, Serialize};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{Artifact, Message, Metadata, MetadataCommand, Package, Target};

use super::options::PackageSelection;
use super::{Trouble, test_targets};

/// The profile: optimised dependencies, with assertions and overflow checks. The command line sets it, so the
/// user's manifest needs no entry; if it has one, that holds. LTO is off, even within a crate, which `false` would allow: it takes a
/// quarter of the tester's build time, and tests run only 2 % faster.
const PROFILE: [&str; 9] = [
    "profile.actor-test.opt-level=3",
    "profile.actor-test.incremental=true",
    "profile.actor-test.inherits=\"release\"",
    "profile.actor-test.debug-assertions=true",
    "profile.actor-test.overflow-checks=true",
    "profile.actor-test.debug=\"line-tables-only\"",
    "profile.actor-test.strip=\"none\"",
    "profile.actor-test.panic=\"unwind\"",
    "profile.actor-test.lto=\"off\"",
];

/// The packages in which every execution spends its time; they are optimised even in their own workspace.
/// The line numbers of their code would take a seventh of the build.
const FRAMEWORK: [&str; 2] = ["actor-core", "actor-test"];

/// The workspace, and the test executables built from it.
#[derive(Debug)]
pub(crate) struct BuildOutput {
    pub(crate) target_directory: PathBuf,
    /// The directory where cargo runs rustc, to which paths of sources are relative.
    pub(crate) workspace: PathBuf,
    /// The test executables, sorted by package, target and flag.
    pub(crate) executables: Vec<Executable>,
}

/// A test executable with its package and target.
#[derive(Clone, Debug)]
pub(crate) struct Executable {
    pub(crate) path: PathBuf,
    pub(crate) package: PackageInfo,
    /// The name of the target, for instance of a file in `tests/`.
    pub(crate) target: String,
    /// The flag with which cargo builds only this target: `--lib`, `--bin NAME` …
    pub(crate) flag: Vec<String>,
    /// The directories in which build scripts put libraries.
    pub(crate) libraries: Vec<PathBuf>,
}

impl Executable {
    /// Returns the package and target of the executable's tests.
    pub(crate) fn home(&self) -> TestTarget {
        TestTarget {
            package: self.package.name.clone(),
            target: self.flag.join(" "),
        }
    }
}

/// The package and target of a test, which distinguish tests of the same path. The target is cargo's flag,
/// for instance `--lib` or `--bin NAME`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct TestTarget {
    pub(crate) package: String,
    pub(crate) target: String,
}

impl TestTarget {
    /// Returns the name of the target's directory in a search directory: `lib`, `bin-NAME`.
    pub(crate) fn directory(&self) -> String {
        self.target.trim_start_matches('-').replace(' ', "-")
    }

    /// Returns the target whose directory has this name.
    pub(crate) fn of_directory(package: String, name: &str) -> Self {
        let target = format!("--{}", name.replacen('-', " ", 1));
        Self { package, target }
    }
}

/// The properties of a package that a test can read from variables.
#[derive(Clone, Debug)]
pub(crate) struct PackageInfo {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) directory: PathBuf,
    pub(crate) metadata: serde_json::Value,
}

pub(crate) fn build(selection: &PackageSelection) -> Result<BuildOutput, Trouble> {
    build_from(selection, &metadata(selection)?)
}

/// Builds the selected packages. If none is selected, builds the default ones if `package` is among them, so
/// that nothing is rebuilt after a run without a selection.
pub(crate) fn build_for(
    selection: &PackageSelection,
    package: Option<&str>,
) -> Result<BuildOutput, Trouble> {
    let mut selection = selection.clone();
    let metadata = metadata(&selection)?;
    let by_itself = metadata.workspace_default_packages();
    let is_there = |package: &&str| by_itself.iter().any(|own| own.name.as_str() == *package);
    if selection.is_default() {
        let other = package.filter(|package| !is_there(package));
        selection.package.extend(other.map(str::to_owned));
    }
    build_from(&selection, &metadata)
}

/// Returns the directory of the workspace, and the target directory.
#[cfg(feature = "mcp")]
pub(crate) fn directories(selection: &PackageSelection) -> Result<(PathBuf, PathBuf), Trouble> {
    let metadata = metadata(selection)?;
    Ok((
        metadata.workspace_root.into(),
        metadata.target_directory.into(),
    ))
}

fn build_from(selection: &PackageSelection, metadata: &Metadata) -> Result<BuildOutput, Trouble> {
    let executables = executables(selection, metadata)?;
    Ok(BuildOutput {
        target_directory: metadata.target_directory.clone().into(),
        workspace: metadata.workspace_root.clone().into(),
        executables,
    })
}

fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

fn metadata(selection: &PackageSelection) -> Result<Metadata, Trouble> {
    let mut command = MetadataCommand::new();
    command
        .cargo_path(cargo())
        .no_deps()
        .other_options(selection.everywhere());
    if let Some(directory) = selection.target_dir() {
        command.env("CARGO_TARGET_DIR", directory);
    }
    command.exec().map_err(|error| match error {
        cargo_metadata::Error::CargoMetadata { stderr } => Trouble(format!(
            "cargo can't read the workspace:\n{}",
            stderr.trim_end()
        )),
        error => Trouble(format!("can't run cargo: {error}")),
    })
}

fn executables(
    selection: &PackageSelection,
    metadata: &Metadata,
) -> Result<Vec<Executable>, Trouble> {
    let mut command = Command::new(cargo());
    command.args([
        "test",
        "--no-run",
        "--message-format=json-render-diagnostics",
    ]);
    if selection.profile.is_none() {
        if !has_profile(metadata) {
            set_profile(&mut command, metadata);
        }
        command.args(["--profile", "actor-test"]);
    }
    if let Some(profile) = selection.profile.as_deref().filter(|_| selection.symbols) {
        for value in ["debug=\"full\"", "strip=\"none\""] {
            command
                .arg("--config")
                .arg(format!("profile.{profile}.{value}"));
        }
    }
    match test_targets::flags(selection, metadata) {
        Some(flags) => command.args(flags),
        None => return Ok(Vec::new()),
    };
    if let Some(directory) = selection.target_dir() {
        command.arg("--target-dir").arg(directory);
    }
    let mut cargo = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| Trouble(format!("can't run cargo: {error}")))?;
    let messages = cargo
        .stdout
        .take()
        .map(BufReader::new)
        .into_iter()
        .flat_map(Message::parse_stream);
    let mut executables: Vec<Executable> = Vec::new();
    let mut libraries = Vec::new();
    for message in messages.flatten() {
        match message {
            Message::CompilerArtifact(artifact) => {
                executables.extend(executable(artifact, metadata))
            }
            Message::BuildScriptExecuted(script) => {
                libraries.extend(
                    script
                        .linked_paths
                        .iter()
                        .map(|path| library(path.as_str())),
                );
            }
            _ => {}
        }
    }
    executables
        .iter_mut()
        .for_each(|executable| executable.libraries.clone_from(&libraries));
    let status = cargo
        .wait()
        .map_err(|error| Trouble(format!("can't wait for cargo: {error}")))?;
    if !status.success() {
        return Err(Trouble(
            "the build failed; see cargo's messages above".into(),
        ));
    }
    // Cargo reports executables as they finish, in an order that differs from run to run.
    let place = |one: &Executable| {
        (
            one.package.name.clone(),
            one.target.clone(),
            one.flag.clone(),
        )
    };
    executables.sort_by_key(place);
    executables.dedup_by(|a, b| a.path == b.path);
    Ok(executables)
}

/// Sets the profile on cargo's command line.
fn set_profile(command: &mut Command, metadata: &Metadata) {
    command.args(PROFILE.iter().flat_map(|value| ["--config", value]));
    for package in &metadata.packages {
        if FRAMEWORK.contains(&package.name.as_str()) {
            let quick = format!("profile.actor-test.package.{}.debug=false", package.name);
            command.arg("--config").arg(quick);
        }
    }
    // Workspace packages are compiled quickly, since they change often. They are named, because settings
    // for all others, `package."*"`, would also apply to macros and build scripts. Optimising the build
    // scripts and macros of a few dependencies takes longer than the rest of the build.
    for package in metadata.workspace_packages() {
        if is_quick_to_build(package) {
            let quick = format!("profile.actor-test.package.{}.opt-level=1", package.name);
            command.arg("--config").arg(quick);
        }
    }
}

/// Returns true if the workspace's manifest has the profile, which is then used as it is.
fn has_profile(metadata: &Metadata) -> bool {
    let manifest = std::fs::read_to_string(metadata.workspace_root.join("Cargo.toml"));
    let manifest = manifest
        .ok()
        .and_then(|text| text.parse::<toml::Table>().ok());
    let profiles = manifest.as_ref().and_then(|table| table.get("profile"));
    profiles.is_some_and(|profiles| profiles.get("actor-test").is_some())
}

fn is_quick_to_build(package: &Package) -> bool {
    let is_macro = package.targets.iter().any(Target::is_proc_macro);
    !is_macro && !FRAMEWORK.contains(&package.name.as_str())
}

/// Returns the directory in `native=/directory`.
fn library(path: &str) -> PathBuf {
    path.split_once('=')
        .map_or(path, |(_, directory)| directory)
        .into()
}

fn executable(artifact: Artifact, metadata: &Metadata) -> Option<Executable> {
    let path = artifact.executable.filter(|_| artifact.profile.test)?;
    let package = metadata
        .packages
        .iter()
        .find(|package| package.id == artifact.package_id)?;
    Some(Executable {
        path: path.into(),
        package: info(package),
        flag: test_targets::flag_of(&artifact.target),
        target: artifact.target.name,
        libraries: Vec::new(),
    })
}

fn info(package: &Package) -> PackageInfo {
    let directory = package.manifest_path.as_std_path().parent();
    PackageInfo {
        name: package.name.to_string(),
        version: package.version.to_string(),
        directory: directory.unwrap_or(Path::new(".")).to_owned(),
        metadata: package.metadata.clone(),
    }
}
