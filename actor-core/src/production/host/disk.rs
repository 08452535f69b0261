//! The file system of a production system: [`LiveDisk`].

use std::fmt;
use std::fs;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::{RwLock, oneshot};

use super::lease::{Holder, Lease};
use crate::panics::lock;

/// A directory, and the threads for blocking calls to it.
#[derive(Clone)]
pub(crate) struct LiveDisk {
    root: Arc<Mutex<Option<Arc<Path>>>>,
    /// The node whose disk this is: a directory of that name, below the system's.
    node: Option<Arc<str>>,
    threads: Option<Handle>,
    /// Held by every call until the call is over, even if nobody waits for it any more.
    calls: Arc<RwLock<()>>,
    /// The lease under which calls are made, if any.
    lease: Option<Arc<Lease>>,
}

impl LiveDisk {
    pub(crate) fn new(threads: Option<&Handle>) -> Self {
        Self {
            root: Arc::default(),
            node: None,
            threads: threads.cloned(),
            calls: Arc::default(),
            lease: None,
        }
    }

    /// Returns the disk of a node: a directory of that name.
    pub(crate) fn of_node(&self, name: &Arc<str>) -> Self {
        Self {
            node: Some(name.clone()),
            calls: Arc::default(),
            ..self.clone()
        }
    }

    /// Sets the directory that paths are relative to, and creates it if it is missing.
    pub(crate) fn set_root(&self, root: &Path) -> io::Result<()> {
        fs::create_dir_all(root)?;
        let root: PathBuf = fs::canonicalize(root)?;
        *lock(&self.root) = Some(root.into());
        Ok(())
    }

    /// Returns the disk under an exclusive lock file; `None` if another process or handle has the lock.
    pub(crate) async fn leased(
        &self,
        file: String,
        holder: Arc<Holder>,
    ) -> io::Result<Option<Self>> {
        let what = format!("lock `{file}`");
        let take = move |root: &Path| Lease::take(&root.join(file), &holder);
        let lease = self.run(what, take).await?;
        Ok(lease.map(|lease| Self {
            lease: Some(lease),
            ..self.clone()
        }))
    }

    /// Runs `f` with the root directory. `what` names the call in errors.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        what: String,
        f: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let root = lock(&self.root).clone();
        let Some(root) = root else {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!(
                    "{what}: the system has no disk; say where its files are: \
                     sys.as_live().unwrap().disk_at(\"data\")?"
                ),
            ));
        };
        let node = self.node.clone();
        self.work(what, move || match node {
            None => f(&root),
            Some(node) => {
                let own = root.join(&*node);
                fs::create_dir_all(&own)?;
                f(&own)
            }
        })
        .await
    }

    /// Runs a call to an open file.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        what: String,
        f: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let call = self.calls.clone().read_owned().await;
        let lease = self.lease.clone();
        let f = move || {
            let done = match lease.map(|lease| lease.check()) {
                Some(Err(error)) => Err(error),
                _ => f(),
            };
            drop(call);
            done
        };
        let done = self.block(f).await;
        done.map_err(|error| io::Error::new(error.kind(), format!("{what}: {error}")))
    }

    /// Waits until every call that has begun is over.
    pub(crate) async fn settled(&self) {
        drop(self.calls.write().await);
    }

    fn block<T: Send + 'static>(
        &self,
        f: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> impl Future<Output = io::Result<T>> {
        let (answer, answered) = oneshot::channel();
        let work = move || drop(answer.send(f()));
        match &self.threads {
            Some(runtime) => drop(runtime.spawn_blocking(work)),
            // The thread ends by itself, without a join.
            None => drop(thread::spawn(work)),
        }
        async {
            let ended = || io::Error::other("the runtime has ended");
            answered.await.unwrap_or_else(|_| Err(ended()))
        }
    }
}

impl fmt::Debug for LiveDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*lock(&self.root) {
            Some(root) => write!(f, "{}", root.display()),
            None => f.write_str("nowhere"),
        }
    }
}
