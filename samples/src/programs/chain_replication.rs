//! Chain replication in production: two of three servers fail while the clients are served.

use actor_core::prelude::*;
use samples::chain_replication::{self, HowManyAreOn, HowManyReplies, Scenario};

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let scenario = Scenario {
        servers: 3,
        clients: 2,
        requests: 3000,
        failures: 2,
        pings: 10,
    };
    let chain = chain_replication::set_up(&sys, scenario, None);
    let mut replies = 0;
    for client in &chain.clients {
        let requests = client.ask(HowManyReplies).await;
        replies += requests.expect("every request is answered");
    }
    let left = chain.power.ask(HowManyAreOn).await;
    let left = left.expect("the switch does not fail");
    println!("{replies} requests were answered, and {left} of 3 servers is left");
    sys.shutdown().await
}
