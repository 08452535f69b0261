//! The format of the files in a search directory: a header line, a JSON document, and the strategy's state.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::CheckpointError;
use crate::plural::count;
use crate::settings::{Deny, Settings};

/// The name of the format.
const FORMAT: &str = "actor-test checkpoint";

/// The version of the format. A checkpoint of another executable is refused in any case.
const VERSION: u32 = 2;

/// The identity of the search: all that decides its course.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct CheckpointHeader {
    format: String,
    version: u32,
    actor_test: String,
    program: String,
    pub(crate) test: String,
    strategy: String,
    seed: u64,
    steps: String,
    semantics: String,
    keep_going: bool,
    saturated: bool,
    /// The end of a sample; empty for a search, which goes on whatever its end was.
    end: String,
    deny: Deny,
    replays: u64,
}

#[derive(Serialize, Deserialize)]
struct First {
    #[serde(flatten)]
    header: CheckpointHeader,
    /// The numbers of bytes of the document and of the strategy's state.
    bytes: [u64; 2],
    /// A hash of both.
    digest: u32,
}

impl CheckpointHeader {
    pub(crate) fn of(name: &str, settings: &Settings) -> Result<Self, CheckpointError> {
        let strategies = settings.first().strategies();
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
            end: settings
                .sample_part()
                .map_or_else(String::new, |_| end(settings)),
            deny: settings.deny,
            replays: settings.check_every,
        })
    }

    /// Checks that the header of a file belongs to the same search.
    fn check(&self, found: &Self, path: &Path) -> Result<(), CheckpointError> {
        let of_program: [(_, &str, &str); 3] = [
            ("actor-test", &found.actor_test, &self.actor_test),
            ("test", &found.test, &self.test),
            ("executable", &found.program, &self.program),
        ];
        for (what, found, expected) in of_program {
            if found != expected {
                return Err(CheckpointError::OtherProgram {
                    path: path.into(),
                    what,
                    found: format!("`{found}`"),
                    expected: format!("`{expected}`"),
                });
            }
        }
        let text = |value: &dyn ToString| value.to_string();
        let denied = |header: &Self| format!("{:?}", header.deny);
        let of_settings = [
            ("the strategy", text(&found.strategy), text(&self.strategy)),
            ("the seed", text(&found.seed), text(&self.seed)),
            ("the bound on steps", text(&found.steps), text(&self.steps)),
            (
                "how actors behave",
                text(&found.semantics),
                text(&self.semantics),
            ),
            (
                "--no-fail-fast",
                text(&found.keep_going),
                text(&self.keep_going),
            ),
            (
                "--until-saturated",
                text(&found.saturated),
                text(&self.saturated),
            ),
            ("the end of a sample", text(&found.end), text(&self.end)),
            ("--deny", denied(found), denied(self)),
            ("check_every", text(&found.replays), text(&self.replays)),
        ];
        for (what, found, expected) in of_settings {
            if found != expected {
                return Err(CheckpointError::OtherSettings {
                    path: path.into(),
                    what,
                    found: format!("`{found}`"),
                    expected: format!("`{expected}`"),
                });
            }
        }
        Ok(())
    }
}

/// Returns the requested end of a sample in words.
fn end(settings: &Settings) -> String {
    let executions = Some(settings.iterations).filter(|executions| *executions < u64::MAX);
    let ends = [
        executions.map(|executions| count(executions, "execution")),
        settings.step_budget.map(|steps| count(steps, "step")),
        settings.time_limit.map(|limit| format!("{limit:?}")),
    ];
    ends.into_iter().flatten().collect::<Vec<_>>().join(", ")
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

/// Returns the path of a file that is being written, before it replaces the last one.
pub(crate) fn partial(path: &Path) -> PathBuf {
    path.with_extension("partial")
}

/// Writes a file. If the process ends meanwhile, either the old or the new one is left.
pub(crate) fn write(
    path: &Path,
    header: &CheckpointHeader,
    document: &impl Serialize,
    search: &[u8],
) -> io::Result<()> {
    let document = serde_json::to_vec(document)?;
    let mut digest = crc32fast::Hasher::new();
    digest.update(&document);
    digest.update(search);
    let first = First {
        header: header.clone(),
        bytes: [document.len() as u64, search.len() as u64],
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
        for part in [&first[..], &document, search] {
            file.write_all(part)?;
        }
        file.sync_data()?;
        fs::rename(&partial, path)
    };
    written().inspect_err(|_| {
        let _ = fs::remove_file(&partial);
    })
}

/// Reads a file of the expected search; returns the document and the strategy's state.
pub(crate) fn read<D: DeserializeOwned>(
    path: &Path,
    expected: &CheckpointHeader,
) -> Result<(D, Vec<u8>), CheckpointError> {
    let (_, document, search) = read_if(path, |header| expected.check(header, path))?;
    Ok((document, search))
}

/// Reads a file of any search that this version of actor-test has run.
pub(crate) fn read_any<D: DeserializeOwned>(
    path: &Path,
) -> Result<(CheckpointHeader, D), CheckpointError> {
    let own = env!("CARGO_PKG_VERSION");
    let (header, document, _) = read_if(path, |header| match header.actor_test == own {
        true => Ok(()),
        false => Err(CheckpointError::OtherProgram {
            path: path.into(),
            what: "actor-test",
            found: format!("`{}`", header.actor_test),
            expected: format!("`{own}`"),
        }),
    })?;
    Ok((header, document))
}

/// Reads a file if its header passes a check.
fn read_if<D: DeserializeOwned>(
    path: &Path,
    check: impl Fn(&CheckpointHeader) -> Result<(), CheckpointError>,
) -> Result<(CheckpointHeader, D, Vec<u8>), CheckpointError> {
    let bytes = fs::read(path).map_err(|error| CheckpointError::Unreadable {
        path: path.into(),
        error,
    })?;
    let damaged = |why: &str| CheckpointError::Damaged {
        path: path.into(),
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
        Err(_) => return Err(CheckpointError::Foreign { path: path.into() }),
    };
    if says["format"] != FORMAT {
        return Err(CheckpointError::Foreign { path: path.into() });
    }
    if says["version"] != VERSION {
        return Err(CheckpointError::OtherProgram {
            path: path.into(),
            what: "version of checkpoints",
            found: format!("`{}`", says["version"]),
            expected: format!("`{VERSION}`"),
        });
    }
    let First {
        header,
        bytes: [document, search],
        digest,
    } = serde_json::from_slice(first).map_err(|error| damaged(&error.to_string()))?;
    check(&header)?;
    let there = rest.len() as u64;
    if document.checked_add(search) != Some(there) {
        let whole = document.saturating_add(search);
        return Err(damaged(&format!("it has {there} bytes of {whole}")));
    }
    if crc32fast::hash(rest) != digest {
        return Err(damaged("its bytes don't match their digest"));
    }
    let (document, search) = rest.split_at(document as usize);
    let document = serde_json::from_slice(document).map_err(|error| damaged(&error.to_string()))?;
    Ok((header, document, search.to_vec()))
}
