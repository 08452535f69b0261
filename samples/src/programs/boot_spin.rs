//! The booting processor in production.

use actor_core::prelude::*;
use samples::boot_spin::{self, Boots, Interrupts};

#[tokio::main]
pub(crate) async fn main() -> Result<(), actor_core::Error> {
    let sys = System::new();
    sys.monitor::<Boots>();
    let boot = boot_spin::set_up(&sys, 10, None);
    let interrupts = boot.ask(Interrupts).await.expect("the processor boots");
    println!("the processor has booted, after {interrupts} interrupts");
    sys.shutdown().await?;
    Ok(())
}
