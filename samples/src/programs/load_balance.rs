//! Load balancing in production.

use crate::load_balance::{self, WhoDidWhat};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let dispatcher = load_balance::set_up(&sys, 200, None);
    let jobs = dispatcher.ask(WhoDidWhat).await;
    let jobs = jobs.expect("all jobs are done in the end");
    println!("the servers did {jobs:?} jobs in {:.1?}", sys.now());
    sys.shutdown().await?;
    Ok(())
}
