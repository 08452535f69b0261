//! The message transport in production.

use crate::mace_transport::{self, HowManyDelivered};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let app = mace_transport::set_up(&sys, 100, None);
    let delivered = app.ask(HowManyDelivered).await;
    let delivered = delivered.expect("every message is delivered in the end");
    println!("{delivered} messages were delivered in {:.1?}", sys.now());
    sys.shutdown().await?;
    Ok(())
}
