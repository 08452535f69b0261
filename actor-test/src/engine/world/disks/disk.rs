//! One simulated disk, and the effects of calls on it: [`SimulatedDisk`].

use std::io::ErrorKind;

use actor_core::fs::{DirEntry, DiskOp, DiskOpResult, OpenOptions};

use crate::data::story::DiskCall;
use crate::engine::world::disks::DiskError;
use crate::engine::world::disks::content::{Content, Edit};
use crate::engine::world::disks::directories::{DirectoryTree, ROOT};
use crate::hash::mix;
use crate::records::DiskRecord;

/// The largest size of a file, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// A disk behind a page cache.
#[derive(Clone, Debug)]
pub(crate) struct SimulatedDisk {
    pub(super) names: DirectoryTree,
    /// The files and directories, including those without a name. The root is the first.
    pub(super) nodes: Vec<Inode>,
    files: Vec<OpenFile>,
    /// The number of power failures and wipes so far.
    pub(super) failures: u32,
    /// The size in bytes of the blocks of a write that a crash keeps or loses; zero keeps writes whole.
    pub(crate) block: u64,
    /// The operation that called first. Strategies see calls to the disk as sends to this operation.
    pub(crate) first_caller: Option<u32>,
}

#[derive(Clone, Debug)]
pub(super) enum Inode {
    File(Content),
    Directory,
}

#[derive(Clone, Copy, Debug)]
struct OpenFile {
    node: u32,
    /// The disk's number of failures when the file was opened.
    failures: u32,
}

impl Default for SimulatedDisk {
    fn default() -> Self {
        Self {
            names: DirectoryTree::default(),
            nodes: vec![Inode::Directory],
            files: Vec::new(),
            failures: 0,
            block: 0,
            first_caller: None,
        }
    }
}

/// Returns the error of a call, with the path in its message.
fn refuse<T>(kind: ErrorKind, path: &str, why: &str) -> Result<T, DiskError> {
    let path = if path.is_empty() { "." } else { path };
    Err(DiskError {
        kind,
        message: format!("`{path}`: {why}"),
    })
}

/// A name in a directory, with the file or directory that has it.
struct PathEntry {
    directory: u32,
    name: String,
    node: Option<u32>,
}

impl PathEntry {
    fn key(&self) -> (u32, String) {
        (self.directory, self.name.clone())
    }
}

impl SimulatedDisk {
    /// Carries out a call. Returns its result, and the hash of the earlier calls to the same file or to the
    /// names.
    pub(crate) fn carry_out(&mut self, call: DiskOp) -> (Result<DiskOpResult, DiskError>, u64) {
        let node = self.node_of(&call);
        let chain = match node.map(|node| &mut self.nodes[node as usize]) {
            Some(Inode::File(content)) => &mut content.chain,
            _ => &mut self.names.chain,
        };
        let before = *chain;
        let reads = matches!(
            call,
            DiskOp::Read { .. } | DiskOp::Len { .. } | DiskOp::ReadDir { .. }
        );
        if !reads {
            *chain = mix(before, 1);
        }
        let answer = match call {
            DiskOp::Open { path, options } => self.open(&path, options),
            DiskOp::Read { file, at, len } => self
                .content(file)
                .map(|content| DiskOpResult::Bytes(content.read(at, len))),
            DiskOp::Write { file, at, bytes } => self.write(file, at, bytes),
            DiskOp::SetLen { file, len } => self.set_len(file, len),
            DiskOp::Len { file } => self
                .content(file)
                .map(|content| DiskOpResult::Number(content.len())),
            DiskOp::Sync { file } => self.content(file).map(|content| {
                content.sync();
                DiskOpResult::Done
            }),
            DiskOp::SyncDir { path } => self.sync_dir(&path),
            DiskOp::Rename { from, to } => self.rename(&from, &to),
            DiskOp::RemoveFile { path } => self.remove_file(&path),
            DiskOp::CreateDir { path } => self.create_dir(&path),
            DiskOp::RemoveDir { path } => self.remove_dir(&path),
            DiskOp::ReadDir { path } => self.read_dir(&path),
            DiskOp::Settle => Ok(DiskOpResult::Done),
        };
        (answer, before)
    }

    /// Returns the node of the open file that a call accesses.
    fn node_of(&self, call: &DiskOp) -> Option<u32> {
        match call {
            DiskOp::Read { file, .. }
            | DiskOp::Write { file, .. }
            | DiskOp::SetLen { file, .. }
            | DiskOp::Len { file }
            | DiskOp::Sync { file } => Some(self.files.get(*file as usize)?.node),
            _ => None,
        }
    }

    /// Erases the disk, and invalidates all open files.
    pub(crate) fn wipe(&mut self) {
        *self = Self {
            failures: self.failures + 1,
            block: self.block,
            ..Self::default()
        };
    }

    /// Returns the content of an open file, or an error if it was opened before the last power failure.
    pub(super) fn content(&mut self, file: u32) -> Result<&mut Content, DiskError> {
        let found = self.files.get(file as usize);
        let opened = found.filter(|opened| opened.failures == self.failures);
        match opened.map(|opened| &mut self.nodes[opened.node as usize]) {
            Some(Inode::File(content)) => Ok(content),
            _ => Err(DiskError {
                kind: ErrorKind::Other,
                message: "the file was opened before the power failed: open it again".into(),
            }),
        }
    }

    /// Returns the number of ways in which the call may fail.
    pub(crate) fn ways_to_fail(call: &DiskOp) -> u32 {
        match call {
            DiskOp::Write { .. } | DiskOp::Sync { .. } => 2,
            DiskOp::SetLen { .. }
            | DiskOp::SyncDir { .. }
            | DiskOp::Rename { .. }
            | DiskOp::RemoveFile { .. }
            | DiskOp::CreateDir { .. }
            | DiskOp::RemoveDir { .. } => 1,
            DiskOp::Open { options, .. } if options.creates() || options.truncates() => 1,
            DiskOp::Open { .. }
            | DiskOp::Read { .. }
            | DiskOp::Len { .. }
            | DiskOp::ReadDir { .. }
            | DiskOp::Settle => 0,
        }
    }

    /// Fails the call in one of these ways, counted from one. In way 1, a failed sync drops the unsynced
    /// changes. In way 2, half of a write is made.
    pub(crate) fn fail(
        &mut self,
        call: DiskOp,
        way: u32,
    ) -> (Result<DiskOpResult, DiskError>, u64) {
        let trace = u64::from(way);
        let (kind, message) = match call {
            DiskOp::Write { file, at, bytes } => {
                if way == 2 {
                    let half = bytes[..bytes.len() / 2].to_vec();
                    let _ = self.write(file, at, half);
                }
                (ErrorKind::StorageFull, "the disk is full")
            }
            DiskOp::Sync { file } => {
                if way == 1
                    && let Ok(content) = self.content(file)
                {
                    content.drop_changes();
                }
                (ErrorKind::Other, "an error of the disk")
            }
            _ => (ErrorKind::Other, "an error of the disk"),
        };
        let message = message.to_owned();
        (Err(DiskError { kind, message }), trace)
    }

    fn directory(&self, path: &str) -> Result<u32, DiskError> {
        let mut directory = ROOT;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            directory = match self.names.get(directory, name) {
                Some(node) if self.is_directory(node) => node,
                Some(_) => return refuse(ErrorKind::NotADirectory, path, "it is no directory"),
                None => return refuse(ErrorKind::NotFound, path, "there is no such directory"),
            };
        }
        Ok(directory)
    }

    fn spot(&self, path: &str) -> Result<PathEntry, DiskError> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let directory = self.directory(parent)?;
        Ok(PathEntry {
            directory,
            name: name.into(),
            node: self.names.get(directory, name),
        })
    }

    fn is_directory(&self, node: u32) -> bool {
        matches!(self.nodes[node as usize], Inode::Directory)
    }

    fn is_empty(&self, directory: u32) -> bool {
        self.names.list(directory).next().is_none()
    }

    fn create(&mut self, spot: &PathEntry, node: Inode, what: DiskRecord) -> u32 {
        let number = self.nodes.len() as u32;
        self.nodes.push(node);
        self.names.change(vec![(spot.key(), Some(number))], what);
        number
    }

    fn open(&mut self, path: &str, options: OpenOptions) -> Result<DiskOpResult, DiskError> {
        let spot = self.spot(path)?;
        let node = match spot.node {
            Some(_) if options.is_exclusive() => {
                return refuse(ErrorKind::AlreadyExists, path, "it exists already");
            }
            Some(node) if self.is_directory(node) => {
                return refuse(ErrorKind::IsADirectory, path, "it is a directory");
            }
            Some(node) => node,
            None if options.creates() => {
                let file = Inode::File(Content::default());
                self.create(&spot, file, DiskRecord::on(DiskCall::Create, path))
            }
            None => return refuse(ErrorKind::NotFound, path, "there is no such file"),
        };
        if let Inode::File(content) = &mut self.nodes[node as usize]
            && options.truncates()
            && content.len() > 0
        {
            content.change(Edit::SetLen { len: 0 });
        }
        self.files.push(OpenFile {
            node,
            failures: self.failures,
        });
        Ok(DiskOpResult::File(self.files.len() as u32 - 1))
    }

    fn write(
        &mut self,
        file: u32,
        at: Option<u64>,
        bytes: Vec<u8>,
    ) -> Result<DiskOpResult, DiskError> {
        let content = self.content(file)?;
        let at = at.unwrap_or(content.len());
        check_len(at.saturating_add(bytes.len() as u64))?;
        if !bytes.is_empty() {
            content.change(Edit::Write { at, bytes });
        }
        Ok(DiskOpResult::Number(at))
    }

    fn set_len(&mut self, file: u32, len: u64) -> Result<DiskOpResult, DiskError> {
        let content = self.content(file)?;
        check_len(len)?;
        if len != content.len() {
            content.change(Edit::SetLen { len });
        }
        Ok(DiskOpResult::Done)
    }

    fn sync_dir(&mut self, path: &str) -> Result<DiskOpResult, DiskError> {
        let directory = self.directory(path)?;
        self.names.sync(directory);
        Ok(DiskOpResult::Done)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<DiskOpResult, DiskError> {
        let (source, target) = (self.spot(from)?, self.spot(to)?);
        let Some(node) = source.node else {
            return refuse(
                ErrorKind::NotFound,
                from,
                "there is no such file or directory",
            );
        };
        if target.node == Some(node) {
            return Ok(DiskOpResult::Done);
        }
        if self.is_directory(node) && is_below(to, from) {
            return refuse(
                ErrorKind::InvalidInput,
                to,
                "a directory can't go into itself",
            );
        }
        if is_below(from, to) {
            return refuse(ErrorKind::DirectoryNotEmpty, to, "it is not empty");
        }
        match target.node.map(|old| (self.is_directory(old), old)) {
            Some((true, _)) if !self.is_directory(node) => {
                return refuse(ErrorKind::IsADirectory, to, "it is a directory");
            }
            Some((false, _)) if self.is_directory(node) => {
                return refuse(ErrorKind::NotADirectory, to, "it is no directory");
            }
            Some((true, old)) if !self.is_empty(old) => {
                return refuse(ErrorKind::DirectoryNotEmpty, to, "it is not empty");
            }
            _ => {}
        }
        self.names.change(
            vec![(source.key(), None), (target.key(), Some(node))],
            DiskRecord {
                to: Some(to.into()),
                ..DiskRecord::on(DiskCall::Rename, from)
            },
        );
        Ok(DiskOpResult::Done)
    }

    fn remove_file(&mut self, path: &str) -> Result<DiskOpResult, DiskError> {
        let spot = self.spot(path)?;
        match spot.node {
            Some(node) if self.is_directory(node) => {
                refuse(ErrorKind::IsADirectory, path, "it is a directory")
            }
            Some(_) => {
                let what = DiskRecord::on(DiskCall::RemoveFile, path);
                self.names.change(vec![(spot.key(), None)], what);
                Ok(DiskOpResult::Done)
            }
            None => refuse(ErrorKind::NotFound, path, "there is no such file"),
        }
    }

    fn create_dir(&mut self, path: &str) -> Result<DiskOpResult, DiskError> {
        let spot = self.spot(path)?;
        if spot.node.is_some() {
            return refuse(ErrorKind::AlreadyExists, path, "it exists already");
        }
        self.create(
            &spot,
            Inode::Directory,
            DiskRecord::on(DiskCall::CreateDir, path),
        );
        Ok(DiskOpResult::Done)
    }

    fn remove_dir(&mut self, path: &str) -> Result<DiskOpResult, DiskError> {
        let spot = self.spot(path)?;
        match spot.node {
            Some(node) if !self.is_directory(node) => {
                refuse(ErrorKind::NotADirectory, path, "it is no directory")
            }
            Some(node) if !self.is_empty(node) => {
                refuse(ErrorKind::DirectoryNotEmpty, path, "it is not empty")
            }
            Some(_) => {
                let what = DiskRecord::on(DiskCall::RemoveDir, path);
                self.names.change(vec![(spot.key(), None)], what);
                Ok(DiskOpResult::Done)
            }
            None => refuse(ErrorKind::NotFound, path, "there is no such directory"),
        }
    }

    fn read_dir(&self, path: &str) -> Result<DiskOpResult, DiskError> {
        let directory = self.directory(path)?;
        let entries = self.names.list(directory);
        let entry = |(name, node): (&str, u32)| DirEntry::new(name.into(), self.is_directory(node));
        Ok(DiskOpResult::Entries(entries.map(entry).collect()))
    }

    /// Returns the path of a file or directory, or a placeholder if it has no name.
    pub(crate) fn path_of(&self, node: u32) -> String {
        let (mut path, mut at) = (String::new(), node);
        let mut names = self.names.all();
        while let Some((directory, name, _)) = names.find(|(_, _, named)| *named == at) {
            path = match path.is_empty() {
                true => name.into(),
                false => format!("{name}/{path}"),
            };
            if directory == ROOT {
                return path;
            }
            (at, names) = (directory, self.names.all());
        }
        "a removed file".into()
    }

    pub(crate) fn path_of_file(&self, file: u32) -> String {
        let found = self.files.get(file as usize);
        found.map_or("?".into(), |opened| self.path_of(opened.node))
    }

    /// Describes a call for records. The description has to be made before the call is carried out.
    pub(crate) fn action(&self, call: &DiskOp) -> DiskRecord {
        let on = DiskRecord::on;
        let on_file = |call, file: &u32| on(call, &self.path_of_file(*file));
        match call {
            DiskOp::Open { path, .. } => on(DiskCall::Open, path),
            DiskOp::Read { file, at, len } => DiskRecord {
                at: Some(*at),
                bytes: Some(*len as u64),
                ..on_file(DiskCall::Read, file)
            },
            DiskOp::Write { file, at, bytes } => DiskRecord {
                at: *at,
                bytes: Some(bytes.len() as u64),
                ..on_file(DiskCall::Write, file)
            },
            DiskOp::SetLen { file, len } => DiskRecord {
                bytes: Some(*len),
                ..on_file(DiskCall::SetLen, file)
            },
            DiskOp::Len { file } => on_file(DiskCall::Len, file),
            DiskOp::Sync { file } => on_file(DiskCall::Sync, file),
            DiskOp::SyncDir { path } => on(DiskCall::SyncDir, path),
            DiskOp::Rename { from, to } => DiskRecord {
                to: Some(to.clone()),
                ..on(DiskCall::Rename, from)
            },
            DiskOp::RemoveFile { path } => on(DiskCall::RemoveFile, path),
            DiskOp::CreateDir { path } => on(DiskCall::CreateDir, path),
            DiskOp::RemoveDir { path } => on(DiskCall::RemoveDir, path),
            DiskOp::ReadDir { path } => on(DiskCall::ReadDir, path),
            DiskOp::Settle => on(DiskCall::Settle, ""),
        }
    }

    /// Feeds everything that a program may observe of the disk into a fingerprint.
    pub(crate) fn feed(&self, mut to: impl FnMut(&[u8])) {
        to(&self.failures.to_le_bytes());
        to(&self.block.to_le_bytes());
        self.names.feed(&mut to);
        for node in &self.nodes {
            match node {
                Inode::File(content) => content.feed(&mut to),
                Inode::Directory => to(&[0]),
            }
        }
        // The program holds open files by their numbers.
        for file in &self.files {
            to(&file.node.to_le_bytes());
            to(&file.failures.to_le_bytes());
        }
    }
}

fn is_below(path: &str, directory: &str) -> bool {
    let rest = path.strip_prefix(directory);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

fn check_len(len: u64) -> Result<(), DiskError> {
    if len <= FILE_BYTES_MAX {
        return Ok(());
    }
    Err(DiskError {
        kind: ErrorKind::FileTooLarge,
        message: format!("a file under test has at most {FILE_BYTES_MAX} bytes, not {len}"),
    })
}
