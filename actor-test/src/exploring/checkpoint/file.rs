//! The file format of a checkpoint: a header line, the exploration's state, and the strategy's state.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::CheckpointError;
use crate::settings::Settings;

/// The name of the format.
const FORMAT: &str = "actor-test checkpoint";

/// The version of the format. A checkpoint of another executable is refused in any case.
const VERSION: u32 = 1;

/// The identity of the search: all that decides its course.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct CheckpointHeader {
    format: String,
    version: u32,
    actor_test: String,
    program: String,
    test: String,
    strategy: String,
    seed: u64,
    steps: String,
    semantics: String,
    keep_going: bool,
    saturated: bool,
    replays: u64,
}

#[derive(Serialize, Deserialize)]
struct First {
    #[serde(flatten)]
    header: CheckpointHeader,
    /// The numbers of bytes of the exploration's and of the strategy's state.
    bytes: [u64; 2],
    /// A hash of both states.
    digest: u32,
}

impl CheckpointHeader {
    pub(super) fn of(name: &str, settings: &Settings) -> Result<Self, CheckpointError> {
        let strategies = settings.strategies();
        let strategies = strategies.iter().map(ToString::to_string);
        Ok(Self {
            format: FORMAT.into(),
            version: VERSION,
            actor_test: env!("CARGO_PKG_VERSION").into(),
            program: program().map_err(CheckpointError::NoProgram)?,
            test: name.into(),
            strategy: strategies.collect::<Vec<_>>().join(", "),
            seed: settings.session(),
            steps: format!(
                "{}:{} ({} too hot)",
                settings.bounds.unfair(),
                settings.bounds.fair(),
                settings.bounds.temperature()
            ),
            semantics: serde_json::to_string(&settings.semantics)
                .expect("semantics are numbers and texts"),
            keep_going: settings.keep_going,
            saturated: settings.until_saturated,
            replays: settings.check_every,
        })
    }

    /// Checks that the header of a file belongs to the same search.
    fn check(&self, found: &Self, path: &Path) -> Result<(), CheckpointError> {
        let path = || path.display().to_string();
        let of_program = [
            (
                "version of checkpoints",
                found.version.to_string(),
                self.version.to_string(),
            ),
            (
                "actor-test",
                found.actor_test.clone(),
                self.actor_test.clone(),
            ),
            ("test", found.test.clone(), self.test.clone()),
            ("executable", found.program.clone(), self.program.clone()),
        ];
        for (what, found, expected) in of_program {
            if found != expected {
                return Err(CheckpointError::OtherProgram {
                    path: path(),
                    what,
                    found: format!("`{found}`"),
                    expected: format!("`{expected}`"),
                });
            }
        }
        let of_settings = [
            (
                "the strategy",
                found.strategy.clone(),
                self.strategy.clone(),
            ),
            ("the seed", found.seed.to_string(), self.seed.to_string()),
            (
                "the bound on steps",
                found.steps.clone(),
                self.steps.clone(),
            ),
            (
                "how actors behave",
                found.semantics.clone(),
                self.semantics.clone(),
            ),
            (
                "--no-fail-fast",
                found.keep_going.to_string(),
                self.keep_going.to_string(),
            ),
            (
                "--until-saturated",
                found.saturated.to_string(),
                self.saturated.to_string(),
            ),
            (
                "check_every",
                found.replays.to_string(),
                self.replays.to_string(),
            ),
        ];
        for (what, found, expected) in of_settings {
            if found != expected {
                return Err(CheckpointError::OtherSettings {
                    path: path(),
                    what,
                    found: format!("`{found}`"),
                    expected: format!("`{expected}`"),
                });
            }
        }
        Ok(())
    }
}

/// Returns a hash of the running executable. Another build of the same sources is another program, for
/// which the state of a search is not valid.
fn program() -> Result<String, String> {
    static PROGRAM: OnceLock<Result<String, String>> = OnceLock::new();
    let hash = || {
        let path = std::env::current_exe().map_err(|error| error.to_string())?;
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(format!("{:08x}-{}", crc32fast::hash(&bytes), bytes.len()))
    };
    PROGRAM.get_or_init(hash).clone()
}

/// Returns the path of a checkpoint that is being written, before it replaces the last one.
pub(super) fn partial(path: &Path) -> PathBuf {
    path.with_extension("checkpoint.partial")
}

/// Writes a checkpoint. If the process ends meanwhile, either the old or the new one is left.
pub(super) fn write(
    path: &Path,
    header: &CheckpointHeader,
    known: &impl Serialize,
    search: &[u8],
) -> io::Result<()> {
    let known = serde_json::to_vec(known)?;
    let mut digest = crc32fast::Hasher::new();
    digest.update(&known);
    digest.update(search);
    let first = First {
        header: header.clone(),
        bytes: [known.len() as u64, search.len() as u64],
        digest: digest.finalize(),
    };
    let mut first = serde_json::to_vec(&first)?;
    first.push(b'\n');
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let partial = partial(path);
    let written = || {
        let mut file = File::create(&partial)?;
        for part in [&first[..], &known, search] {
            file.write_all(part)?;
        }
        file.sync_data()?;
        fs::rename(&partial, path)
    };
    written().inspect_err(|_| {
        let _ = fs::remove_file(&partial);
    })
}

/// Reads a checkpoint of the expected search; returns the exploration's and the strategy's state.
pub(super) fn read<K: DeserializeOwned>(
    path: &Path,
    expected: &CheckpointHeader,
) -> Result<(K, Vec<u8>), CheckpointError> {
    let name = || path.display().to_string();
    let bytes = fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => CheckpointError::Missing { path: name() },
        _ => CheckpointError::Unreadable {
            path: name(),
            error: error.to_string(),
        },
    })?;
    let damaged = |why: &str| CheckpointError::Damaged {
        path: name(),
        why: why.into(),
    };
    if bytes.is_empty() {
        return Err(damaged("it is empty"));
    }
    let line = bytes.iter().position(|byte| *byte == b'\n');
    let (first, rest) = bytes.split_at(line.map_or(bytes.len(), |line| line + 1));
    let says: serde_json::Value = match serde_json::from_slice(first) {
        Ok(says) => says,
        Err(_) if first.starts_with(b"{\"format\":\"actor-test checkpoint") => {
            return Err(damaged("its first line is cut"));
        }
        Err(_) => return Err(CheckpointError::Foreign { path: name() }),
    };
    if says["format"] != FORMAT {
        return Err(CheckpointError::Foreign { path: name() });
    }
    if says["version"] != VERSION {
        return Err(CheckpointError::OtherProgram {
            path: name(),
            what: "version of checkpoints",
            found: format!("`{}`", says["version"]),
            expected: format!("`{VERSION}`"),
        });
    }
    let First {
        header,
        bytes: [known, search],
        digest,
    } = serde_json::from_slice(first).map_err(|error| damaged(&error.to_string()))?;
    expected.check(&header, path)?;
    let there = rest.len() as u64;
    if known.checked_add(search) != Some(there) {
        let whole = known.saturating_add(search);
        return Err(damaged(&format!("it has {there} bytes of {whole}")));
    }
    if crc32fast::hash(rest) != digest {
        return Err(damaged("its bytes don't match their digest"));
    }
    let (known, search) = rest.split_at(known as usize);
    let known = serde_json::from_slice(known).map_err(|error| damaged(&error.to_string()))?;
    Ok((known, search.to_vec()))
}
