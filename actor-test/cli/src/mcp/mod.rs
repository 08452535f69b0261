//! The subcommand `mcp`: a server of the Model Context Protocol for editors and agents.
//!
//! The server has no second implementation of a command. To build or run tests, [`child`] starts the tool
//! itself as a child process, which ends when its call is cancelled. Traces are read and printed by the
//! functions of `show`. [`arguments`] defines the arguments of each tool, [`tools`] implements the tools,
//! [`pages`] bounds the size of answers, [`traces`] checks which files may be read, and [`server`] implements
//! the protocol.

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

/// The time that children have to end after the client has disconnected.
const PATIENCE: Duration = Duration::from_secs(10);

/// The interval of checks for an interruption.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Serves until standard input ends, or this process is interrupted.
pub(crate) fn run(options: &Mcp) -> Result<Exit, Trouble> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Trouble::new)?;
    let server = Server::new(&options.selection);
    let served = runtime.block_on(serve(server));
    // A blocking read of standard input can't be cancelled.
    runtime.shutdown_background();
    served.map(|()| Exit::Clean)
}

async fn serve(server: Server) -> Result<(), Trouble> {
    let calls = server.calls();
    let service = match server.serve(stdio()).await {
        Ok(service) => service,
        // A client that disconnects before initialising is no error.
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
    // Running calls are cancelled; their children get SIGTERM and are awaited.
    let _ = timeout(PATIENCE, calls.write()).await;
    Ok(())
}

async fn interrupted() {
    while !interruption::is_seen() {
        sleep(POLL_INTERVAL).await;
    }
}
