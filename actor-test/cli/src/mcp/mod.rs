//! `cargo actor-test mcp`: what the tool does, for an editor or an agent, by the Model Context Protocol
//! over standard input and output.
//!
//! There is no second implementation of anything. What builds or runs tests is the tool itself, started
//! as a child by [`child`] and ended when nobody waits for it any more; traces are read and told by what
//! `show` calls. [`arguments`] says what each tool takes, [`tools`] what it does, [`pages`] keeps answers
//! within bounds, [`traces`] says which files may be read, and [`server`] speaks the protocol.

mod arguments;
mod child;
mod pages;
mod server;
mod tools;
mod traces;

use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::stdio;
use tokio::time::{sleep, timeout};

use crate::options::Mcp;
use crate::{Exit, Trouble, interruption};
use server::Server;

/// How long children have to end when the client is gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is looked whether this process is to end.
const LOOK: Duration = Duration::from_millis(100);

/// Serves until standard input ends, or this process is to end.
pub(crate) fn run(options: &Mcp) -> Result<Exit, Trouble> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Trouble::new)?;
    let server = Server::new(&options.selection);
    let served = runtime.block_on(serve(server));
    // A read of standard input can't be called back.
    runtime.shutdown_background();
    served.map(|()| Exit::Clean)
}

async fn serve(server: Server) -> Result<(), Trouble> {
    let calls = server.calls();
    let service = match server.serve(stdio()).await {
        Ok(service) => service,
        // A client that is gone before it has begun wants nothing.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(Trouble(format!(
                "the client does not begin as MCP does: {error}"
            )));
        }
    };
    let stop = service.cancellation_token();
    tokio::select! {
        ended = service.waiting() => drop(ended.map_err(Trouble::new)?),
        () = interrupted() => stop.cancel(),
    }
    // What still runs is given up; its children are asked to end, and waited for.
    let _ = timeout(PATIENCE, calls.write()).await;
    Ok(())
}

async fn interrupted() {
    while !interruption::is_seen() {
        sleep(LOOK).await;
    }
}
