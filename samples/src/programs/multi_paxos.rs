//! Multi-Paxos in production: five nodes, and three clients that make the leader change.

use std::time::Duration;

use crate::multi_paxos::{self, Group, HowManyNodes};
use actor_core::Error;
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), Error> {
    let sys = System::new();
    let group = Group {
        nodes: 5,
        clients: 3,
        commands: 100,
        patience: Duration::from_millis(200),
        retries: u32::MAX,
        lossy: true,
    };
    for (number, client) in multi_paxos::set_up(&sys, group, None).iter().enumerate() {
        let nodes = client.ask(HowManyNodes).await.expect("clients do not stop");
        println!("client {number} is served; nodes that it asked: {nodes}");
    }
    sys.shutdown().await?;
    Ok(())
}
