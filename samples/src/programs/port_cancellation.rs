//! A port that is cancelled while a receiver works, in production.

use crate::port_cancellation::{self, AllOrNone};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    sys.monitor::<AllOrNone>();
    let (receiver, canceller) = port_cancellation::set_up(&sys, 100, None);
    let (received, cancelled) = port_cancellation::both_work(&receiver, &canceller).await;
    println!(
        "{} tasks were received, {} were cancelled",
        received.len(),
        cancelled.len()
    );
    sys.shutdown().await?;
    Ok(())
}
