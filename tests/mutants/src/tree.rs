//! A copy of the checkout that contains the mutants, and its builds.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::Value;

use crate::list::Mutant;
use crate::weave;

/// The module that a changed source calls.
const SWITCH: &str = include_str!("switch.rs.txt");

pub struct Tree {
    pub root: PathBuf,
    /// The build directory, which is kept from one part to the next.
    pub target: PathBuf,
}

impl Tree {
    /// Copies the files that git tracks, and new ones.
    pub fn copy(work: &Path) -> Result<Self, String> {
        let here = env::current_dir().map_err(|error| error.to_string())?;
        let (root, target) = (here.join(work).join("tree"), here.join(work).join("build"));
        let listed = output(Command::new("git").args(["ls-files", "-co", "--exclude-standard"]))?;
        for file in listed.lines() {
            let (from, to) = (here.join(file), root.join(file));
            let Ok(content) = fs::read(&from) else {
                continue;
            };
            // An unchanged file keeps its modification time, so that cargo does not build it again.
            if fs::read(&to).is_ok_and(|known| known == content) {
                continue;
            }
            fs::create_dir_all(to.parent().expect("a file has a folder"))
                .map_err(|error| error.to_string())?;
            fs::write(&to, content)
                .map_err(|error| format!("failed to write {}: {error}", to.display()))?;
        }
        Ok(Self { root, target })
    }

    pub fn cargo(&self) -> Command {
        let mut command = Command::new("cargo");
        command
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target);
        command
    }

    /// Inserts all mutants, and removes those that do not compile; returns the removed ones.
    pub fn weave(&self, mutants: &mut BTreeMap<usize, Mutant>) -> Result<Vec<Mutant>, String> {
        let library = self.root.join("actor-test/src/lib.rs");
        let source = fs::read_to_string(&library).map_err(|error| error.to_string())?;
        write(&library, &format!("{source}\nmod mutant;\n"))?;
        let highest = mutants.keys().next_back().copied().unwrap_or_default();
        let switch = SWITCH.replace("COUNT", &(highest + 1).to_string());
        write(&self.root.join("actor-test/src/mutant.rs"), &switch)?;
        let mut originals = BTreeMap::new();
        for mutant in mutants.values() {
            if !originals.contains_key(&mutant.file) {
                let path = self.root.join(&mutant.file);
                let source = fs::read_to_string(&path)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                originals.insert(mutant.file.clone(), source);
            }
        }
        let mut out = Vec::new();
        loop {
            let mut places = BTreeMap::new();
            let mut wrong = BTreeSet::new();
            for (file, source) in &originals {
                let here = mutants.iter().filter(|(_, mutant)| mutant.file == *file);
                let here: BTreeMap<usize, &Mutant> =
                    here.map(|(&number, mutant)| (number, mutant)).collect();
                let woven =
                    weave::weave(source, &here).map_err(|error| format!("{file}: {error}"))?;
                write(&self.root.join(file), &woven.text)?;
                wrong.extend(woven.left_out);
                places.insert(file.clone(), woven.places);
            }
            if wrong.is_empty() {
                wrong = self.wrong(&places)?;
            }
            if wrong.is_empty() {
                return Ok(out);
            }
            eprintln!("{} do not compile", wrong.len());
            out.extend(wrong.iter().filter_map(|number| mutants.remove(number)));
        }
    }

    /// Returns the mutants in which the compiler reports an error.
    fn wrong(
        &self,
        places: &BTreeMap<String, Vec<(usize, Range<usize>)>>,
    ) -> Result<BTreeSet<usize>, String> {
        let output = self
            .cargo()
            .args([
                "check",
                "--quiet",
                "--profile",
                "mutants",
                "-p",
                "actor-test",
                "--message-format",
                "json",
            ])
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| error.to_string())?;
        let mut wrong = BTreeSet::new();
        let mut unknown = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let message = &message["message"];
            if message["level"] != "error" {
                continue;
            }
            let mut reported = false;
            for span in message["spans"].as_array().into_iter().flatten() {
                let file = span["file_name"].as_str().unwrap_or_default();
                let start = span["byte_start"].as_u64().unwrap_or_default() as usize;
                let end = span["byte_end"].as_u64().unwrap_or_default() as usize;
                for (number, place) in places.get(file).into_iter().flatten() {
                    if place.start <= start && end <= place.end {
                        wrong.insert(*number);
                        reported = true;
                    }
                }
            }
            if !reported
                && message["spans"]
                    .as_array()
                    .is_some_and(|spans| !spans.is_empty())
            {
                unknown.push(message["rendered"].as_str().unwrap_or_default().to_owned());
            }
        }
        if wrong.is_empty() && !output.status.success() {
            return Err(format!(
                "this does not compile, and no change alone is to blame:\n{}",
                unknown.join("\n")
            ));
        }
        Ok(wrong)
    }
}

fn output(command: &mut Command) -> Result<String, String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{command:?} failed"));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// Writes a file, unless it has this content already.
fn write(path: &Path, text: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    fs::write(path, text).map_err(|error| format!("failed to write {}: {error}", path.display()))
}
