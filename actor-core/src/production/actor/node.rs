//! Nodes in production: each incarnation of a node is a system of its own in this process, which shares
//! the hooks and the monitors of the whole system.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, Weak};

use tokio::sync::Notify;

use super::hub::{Guard, Hub};
use super::names::{NamedActor, NamedActors};
use crate::identity::ActorId;
use crate::panics::lock;
use crate::production::observing::hooks::FailureCause;
use crate::seam::ActorType;
use crate::supervision::{Failure, FailureKind};

pub(in crate::production) type Boot = Box<dyn FnMut(&Arc<Guard>) + Send>;

#[derive(Default)]
pub(crate) struct LiveNodes {
    all: Mutex<Vec<LiveNode>>,
    named: NamedActors,
}

#[derive(Clone)]
pub(in crate::production) struct LiveNode(Arc<NodeState>);

struct NodeState {
    name: Arc<str>,
    /// The system that contains the node.
    whole: Weak<Hub>,
    /// `None` while the boot code runs.
    boot: Mutex<Option<Boot>>,
    /// Notified when the boot code has run.
    booted: Notify,
    /// The guard of the current incarnation; `None` while the node is down.
    runs: Mutex<Option<Arc<Guard>>>,
}

impl LiveNodes {
    /// Declares and boots a node; reports an error if a node of that name exists.
    pub(in crate::production) fn start(&self, whole: &Arc<Hub>, name: &str, boot: Boot) {
        let mut nodes = lock(&self.all);
        if let Some(known) = nodes.iter().find(|node| &*node.0.name == name) {
            let known = known.clone();
            drop(nodes);
            let message = "the system has a node of that name already".into();
            return known.report(FailureKind::Unheard, message);
        }
        let node = LiveNode(Arc::new(NodeState {
            name: name.into(),
            whole: Arc::downgrade(whole),
            boot: Mutex::new(Some(boot)),
            booted: Notify::new(),
            runs: Mutex::default(),
        }));
        nodes.push(node.clone());
        drop(nodes);
        node.restart();
    }

    pub(super) fn find(&self, name: &str) -> Option<LiveNode> {
        let nodes = lock(&self.all);
        nodes.iter().find(|node| &*node.0.name == name).cloned()
    }

    fn nobody_called_so(&self) -> String {
        let nodes = lock(&self.all);
        let names: Vec<_> = nodes.iter().map(|node| &*node.0.name).collect();
        match names.is_empty() {
            true => "there is no node of that name, nor any other".into(),
            false => format!(
                "there is no node of that name, only `{}`",
                names.join("`, `")
            ),
        }
    }

    pub(in crate::production) fn names(&self) -> Vec<Box<str>> {
        let nodes = lock(&self.all);
        nodes.iter().map(|node| (*node.0.name).into()).collect()
    }

    /// Returns the reference by a name on a node, or in the system that `hub` is.
    pub(in crate::production) fn named(
        &self,
        hub: &Arc<Hub>,
        node: Option<LiveNode>,
        name: &str,
        of: ActorType,
    ) -> Arc<NamedActor> {
        let of_node = node.as_ref().map(|node| node.0.name.clone());
        let key = (of_node, name.into(), of.id);
        let mut named = lock(&self.named);
        if let Some(known) = named.get(&key).and_then(Weak::upgrade) {
            return known;
        }
        let reference = Arc::new(NamedActor::new(hub, node, name, of));
        named.retain(|_, known| known.strong_count() > 0);
        named.insert(key, Arc::downgrade(&reference));
        reference
    }

    /// Calls `f` with a node; reports a node that does not exist.
    pub(in crate::production) fn with(
        &self,
        whole: &Arc<Hub>,
        name: &str,
        f: impl FnOnce(&LiveNode),
    ) {
        match self.find(name) {
            Some(node) => f(&node),
            None => whole.hooks.failure.call(&Failure {
                actor: ActorId::live(0),
                name: format!("node {name}"),
                kind: FailureKind::Unheard,
                message: self.nobody_called_so(),
            }),
        }
    }
}

impl LiveNodes {
    /// Returns the hubs of the nodes that are up.
    pub(in crate::production) fn running(&self) -> Vec<Arc<Hub>> {
        let nodes = lock(&self.all).clone();
        let running = nodes.iter().filter_map(|node| {
            let runs = lock(&node.0.runs);
            runs.as_ref().map(|guard| guard.hub.clone())
        });
        running.collect()
    }

    /// Ends every node for good.
    pub(super) fn end(&self) {
        let nodes = std::mem::take(&mut *lock(&self.all));
        for node in nodes {
            node.crash();
        }
    }
}

impl LiveNode {
    pub(in crate::production) fn crash(&self) {
        let ran = lock(&self.0.runs).take();
        if let Some(ran) = ran {
            ran.hub.crash();
        }
    }

    pub(in crate::production) fn restart(&self) {
        self.crash();
        let Some(whole) = self.0.whole.upgrade() else {
            return;
        };
        let Some(mut boot) = lock(&self.0.boot).take() else {
            let message = "its boot code restarts it, or two restarts meet".into();
            return self.report(FailureKind::Unheard, message);
        };
        let hub = Hub::of_node(&whole, self.0.name.clone());
        let live = Guard::new(hub);
        *lock(&self.0.runs) = Some(live.clone());
        let booted = catch_unwind(AssertUnwindSafe(|| boot(&live)));
        *lock(&self.0.boot) = Some(boot);
        self.0.booted.notify_waiters();
        if let Err(payload) = booted {
            self.crash();
            let FailureCause { kind, message } = FailureCause::from_panic(payload);
            self.report(kind, format!("its boot code failed: {message}"));
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the hub of the current incarnation, if the node is up.
    pub(super) fn hub(&self) -> Option<Arc<Hub>> {
        let runs = lock(&self.0.runs);
        runs.as_ref().map(|guard| guard.hub.clone())
    }

    /// Returns the hub of the system that contains the node.
    pub(super) fn whole(&self) -> Option<Arc<Hub>> {
        self.0.whole.upgrade()
    }

    pub(super) fn is_booting(&self) -> bool {
        lock(&self.0.boot).is_none()
    }

    /// Waits until the boot code has run.
    pub(super) async fn booted(&self) {
        loop {
            let booted = self.0.booted.notified();
            if !self.is_booting() {
                return;
            }
            booted.await;
        }
    }

    fn report(&self, kind: FailureKind, message: String) {
        if let Some(whole) = self.0.whole.upgrade() {
            whole.hooks.failure.call(&Failure {
                actor: ActorId::live(0),
                name: format!("node {}", self.0.name),
                kind,
                message,
            });
        }
    }
}
