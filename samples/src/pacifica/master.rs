//! The configuration master: watches the replicas, and publishes the group without the lost ones.

use actor_core::prelude::*;

use super::{Configuration, NODES, Primary, Replica, Subscribe};

/// Watches the replicas, and removes lost ones from the configuration.
#[derive(Debug, Default)]
pub struct Master {
    version: u64,
    replicas: Vec<ActorRef<Replica>>,
    clients: Vec<Recipient<Primary>>,
}

// ANCHOR: master
#[actor]
impl Master {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        for node in NODES {
            let name = format!("{node}/replica");
            if let Ok(replica) = cx.lookup::<Replica>(name).await {
                cx.watch(&replica);
                self.replicas.push(replica);
            }
        }
        self.configure();
    }

    #[on]
    fn subscribe(&mut self, client: Subscribe) {
        if let Some(primary) = self.replicas.first() {
            client.0.tell(Primary(primary.clone()));
        }
        self.clients.push(client.0);
    }

    #[on]
    fn lost(&mut self, lost: Terminated) {
        self.replicas.retain(|replica| replica.id() != lost.actor);
        self.configure();
    }
}
// ANCHOR_END: master

impl Master {
    fn configure(&mut self) {
        self.version += 1;
        for replica in &self.replicas {
            replica.tell(Configuration {
                version: self.version,
                replicas: self.replicas.clone(),
            });
        }
        if let Some(primary) = self.replicas.first() {
            for client in &self.clients {
                client.tell(Primary(primary.clone()));
            }
        }
    }
}
