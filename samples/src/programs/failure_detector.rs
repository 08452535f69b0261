//! The failure detector in production, with nodes that halt after a short time.

use std::time::Duration;

use crate::failure_detector::{self, HowManyFailed, Timing};
use actor_core::prelude::*;

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    let timing = Timing {
        pause: Duration::from_millis(400),
        lifetime: Duration::from_secs(1),
        ..Timing::default()
    };
    let driver = failure_detector::set_up(&sys, 5, timing, None);
    let failed = driver
        .ask(HowManyFailed)
        .await
        .expect("the driver hears of every failure");
    println!(
        "{failed} of 5 nodes were halted and reported, after {:.1?}",
        sys.now()
    );
    sys.shutdown().await?;
    Ok(())
}
