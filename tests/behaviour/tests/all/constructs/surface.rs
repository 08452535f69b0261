//! The public API of the crate that has an effect, read from its sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders and files without public items for programs.
const INNER: &[&str] = &[
    // Internals of the executors.
    "__private.rs",
    "dispatch",
    "production",
    "seam",
    // Plain values.
    "codec.rs",
    "fingerprint",
];

/// The items that a macro defines: the file, the macro's parameter, and the names for which it stands.
const MADE: &[(&str, &str, &[&str])] = &[
    (
        "sync",
        "$end",
        &[
            "broadcast::Receiver",
            "broadcast::Sender",
            "mpsc::Receiver",
            "mpsc::Sender",
            "mpsc::UnboundedReceiver",
            "mpsc::UnboundedSender",
            "oneshot::Receiver",
            "watch::Receiver",
            "watch::Sender",
            "blocking::mpsc::Receiver",
            "blocking::mpsc::Sender",
            "blocking::mpsc::SyncSender",
        ],
    ),
    (
        "sync::mpsc",
        "$receiver",
        &["Receiver", "UnboundedReceiver"],
    ),
    ("sync::mpsc", "$sender", &["Sender", "UnboundedSender"]),
    ("sync::blocking::atomic", "$atomic", &["Atomic"]),
    ("sync::blocking::atomic", "$update", &["fetch_add"]),
    ("sync", "$lock", &["Mutex", "RwLock"]),
    (
        "sync",
        "$guard",
        &[
            "OwnedMutexGuard",
            "OwnedRwLockReadGuard",
            "OwnedRwLockWriteGuard",
        ],
    ),
    (
        "sync",
        "$permit",
        &["OwnedSemaphorePermit", "SemaphorePermit"],
    ),
    ("sync::blocking", "$lock", &["Mutex", "RwLock"]),
];

/// The traits whose methods programs call.
const CALLED: &[&str] = &["Scope"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../actor-core/src")
}

fn files(below: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(below).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if INNER.contains(&&*name) || name == "tests.rs" {
            continue;
        }
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// Returns the public module that contains a file's items.
fn module(path: &Path) -> String {
    let path = path.strip_prefix(source()).expect("it is below");
    let path = path.with_extension("");
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    let parts: Vec<&str> = parts.iter().map(|part| &**part).collect();
    let public = match &parts[..] {
        ["sync", "blocking", inner @ ("atomic" | "mpsc")] => {
            return format!("sync::blocking::{inner}");
        }
        ["sync", inner @ ("broadcast" | "mpsc" | "oneshot" | "watch")] => {
            return format!("sync::{inner}");
        }
        ["sync", "blocking", ..] => "sync::blocking",
        [first @ ("sync" | "task" | "thread" | "fs" | "hint"), ..] => first,
        _ => "",
    };
    public.to_owned()
}

/// Returns the identifier at the beginning of a text.
fn name(text: &str) -> &str {
    let end =
        text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '$'));
    &text[..end.unwrap_or(text.len())]
}

/// Returns the text after the generic parameters at its beginning.
fn past_generics(text: &str) -> &str {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 && letter != '>' && letter != '?' {
            return text[at..].trim_start();
        }
    }
    ""
}

/// Returns the type of an `impl`, and the implemented trait.
fn implemented(line: &str) -> Option<(&str, Option<&str>)> {
    let rest = past_generics(line.strip_prefix("impl")?.trim_start_matches(" $(<$of>)?"));
    match rest.split_once(" for ") {
        Some((of, by)) => Some((name(by), Some(name(of)))),
        None => Some((name(rest.trim_start()), None)),
    }
}

/// Returns all names for which a macro parameter stands.
fn names(module: &str, name: &str) -> Vec<String> {
    let made = MADE
        .iter()
        .find(|(place, made, _)| *place == module && *made == name);
    match made {
        Some((_, _, all)) => all.iter().map(|name| (*name).to_owned()).collect(),
        None => vec![name.to_owned()],
    }
}

/// Returns the text of all exports: those of the crate's root, and those of its modules with files.
fn exports() -> String {
    let read = |path: &str| fs::read_to_string(source().join(path)).expect("the file is there");
    let library = read("lib.rs");
    let (_, exports) = library.split_once("pub use ").expect("there are exports");
    let mut exports = exports.to_owned();
    for module in ["journal", "services", "specification", "supervision"] {
        let text = read(&format!("{module}/mod.rs"));
        for item in text.split("\npub ").skip(1) {
            let end = match item.starts_with("use ") {
                true => item.find(';'),
                false => item.find(['{', ';']),
            };
            exports.push_str(&item[..end.unwrap_or(item.len())]);
            exports.push('\n');
        }
    }
    exports
}

/// Returns true if a type is public.
fn is_public(of: &str, module: &str, exports: &str, text: &str) -> bool {
    if module.is_empty() {
        return exports
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|word| word == of);
    }
    let declared = ["struct", "enum", "type"].map(|kind| format!("pub {kind} {of}"));
    of.starts_with('$') || declared.iter().any(|declared| text.contains(declared))
}

/// Returns the public methods and functions, and the effects of a drop or an
/// await: `ActorRef::tell`, `sync::Mutex::lock`, `Ask::drop`, `Ask::await`.
pub(crate) fn surface() -> BTreeSet<String> {
    let exports = exports();
    let mut paths = Vec::new();
    files(&source(), &mut paths);
    let mut found = BTreeSet::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a source is text");
        let module = module(&path);
        let mut of: Option<&str> = None;
        let mut is_hidden = false;
        let mut is_trait = false;
        for line in text.lines() {
            let code = line.trim_start();
            let depth = line.len() - code.len();
            if let Some((by, implements)) = implemented(code).filter(|_| depth == 0 || depth == 8) {
                of = is_public(by, &module, &exports, &text).then_some(by);
                let action = match implements {
                    Some("Drop") => Some("drop"),
                    Some("Future" | "IntoFuture") => Some("await"),
                    _ => None,
                };
                let place = of.filter(|_| action.is_some()).map(|of| names(&module, of));
                for of in place.unwrap_or_default() {
                    found.insert(path_of(&module, Some(&of), action.unwrap_or_default()));
                }
                if implements.is_some() {
                    of = None;
                }
            }
            let declared = line.strip_prefix("pub trait ").map(name);
            if let Some(declared) = declared.filter(|declared| CALLED.contains(declared)) {
                of = Some(declared);
                is_trait = true;
            }
            if code == "}" && depth == 0 {
                of = None;
                is_trait = false;
            }
            is_hidden |= code.starts_with("#[doc(hidden)]");
            let is_said_before = code.starts_with("#[") || code.starts_with("//");
            let function = match is_trait && depth == 4 {
                true => code.strip_prefix("fn "),
                false => code.strip_prefix("pub ").and_then(|rest| {
                    rest.trim_start_matches("const ")
                        .trim_start_matches("async ")
                        .strip_prefix("fn ")
                }),
            };
            if let Some(function) = function {
                let is_free = depth == 0;
                if !is_hidden && (of.is_some() || is_free && !module.is_empty()) {
                    let owners: Vec<Option<String>> = match of {
                        Some(of) => names(&module, of).into_iter().map(Some).collect(),
                        None => vec![None],
                    };
                    for owner in owners {
                        for function in names(&module, name(function)) {
                            found.insert(path_of(&module, owner.as_deref(), &function));
                        }
                    }
                }
            }
            is_hidden &= is_said_before;
        }
    }
    found
}

fn path_of(module: &str, of: Option<&str>, function: &str) -> String {
    let parts = [
        Some(module).filter(|module| !module.is_empty()),
        of,
        Some(function),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("::")
}
