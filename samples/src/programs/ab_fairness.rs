//! The two actors in production, where the scheduler is fair.

use crate::ab_fairness::{self, Ticks};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let a = ab_fairness::set_up(&sys, None);
    let ticks = a.ask(Ticks).await.expect("A answers when it has stopped");
    println!("A ticked {ticks} times before it was stopped");
    sys.shutdown().await?;
    Ok(())
}
