//! The real files of a production system: [`LiveDisk`].

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
use super::lock::lock;

/// A directory, and the threads on which calls to it may block.
#[derive(Clone)]
pub(crate) struct LiveDisk {
    root: Arc<Mutex<Option<Arc<Path>>>>,
    /// The node whose disk it is: a directory of its name, below the system's.
    node: Option<Arc<str>>,
    threads: Option<Handle>,
    /// Held by every call until it is over, whether or not somebody still waits for it.
    calls: Arc<RwLock<()>>,
    /// By which calls are made, where that is so.
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

    /// The disk of a node: a directory of its name.
    pub(crate) fn of_node(&self, name: &Arc<str>) -> Self {
        Self {
            node: Some(name.clone()),
            calls: Arc::default(),
            ..self.clone()
        }
    }

    /// From now on, paths are below that directory, which is created where it is missing.
    pub(crate) fn set_root(&self, root: &Path) -> io::Result<()> {
        fs::create_dir_all(root)?;
        let root: PathBuf = fs::canonicalize(root)?;
        *lock(&self.root) = Some(root.into());
        Ok(())
    }

    /// The same disk for whoever has the lock file to itself; `None` where somebody else has it.
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

    /// Does something to a path below the root. `what` is for the error.
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

    /// Does something to a file that is open.
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
            // It ends by itself: nobody has to wait for it.
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
