//! The HTTP interface of the service: [`serve`].

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actor_core::observability::DeadLetterReason;
use actor_core::prelude::*;
use actor_core::supervision::FailureKind;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

use crate::shard::{AddStock, Crash, Refusal, Reserve, Stock};
use crate::store::{Layout, Store, set_up};

/// The time limit for the answer to a request.
const PATIENCE: Duration = Duration::from_millis(250);

/// The figures on the administrator's page.
#[derive(Debug, Default)]
struct Figures {
    failures: AtomicU64,
    dropped_at_restarts: AtomicU64,
}

#[derive(Clone)]
struct Service {
    store: Store,
    figures: Arc<Figures>,
}

#[derive(Deserialize)]
struct Amount {
    amount: u64,
}

#[derive(Serialize)]
struct Left {
    left: u64,
}

/// Answers requests until `end`. After that the service accepts
/// no new ones, answers those in hand, and stops the actors.
///
/// # Errors
///
/// Returns an error if the system fails to start or to shut down in order.
pub async fn serve(
    listener: TcpListener,
    layout: Layout,
    end: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let sys = System::new();
    let figures = Arc::new(Figures::default());
    count(&sys, &figures);
    let store = set_up(&sys, layout, None).await.map_err(io::Error::other)?;
    let routes = routes(Service { store, figures });
    axum::serve(listener, routes)
        .with_graceful_shutdown(end)
        .await?;
    sys.shutdown().await.map_err(io::Error::other)?;
    Ok(())
}

fn count(sys: &System, figures: &Arc<Figures>) {
    let Some(live) = sys.as_live() else {
        return;
    };
    let counted = figures.clone();
    live.on_failure(move |failure| match failure.kind {
        FailureKind::Panicked => drop(counted.failures.fetch_add(1, Ordering::Relaxed)),
        _ => eprintln!("{failure}"),
    });
    let counted = figures.clone();
    live.on_dead_letter(move |letter| {
        if letter.reason == DeadLetterReason::Restarted {
            counted.dropped_at_restarts.fetch_add(1, Ordering::Relaxed);
        }
    });
}

fn routes(service: Service) -> Router {
    Router::new()
        .route("/items/{name}", get(stock))
        .route("/items/{name}/reserve", post(reserve))
        .route("/items/{name}/stock", post(add_stock))
        .route("/admin/shards/{number}/crash", post(crash))
        .route("/admin/figures", get(figures))
        .with_state(service)
}

async fn stock(State(service): State<Service>, Path(item): Path<String>) -> Response {
    let shard = service.store.shard_of(&item);
    match shard.ask(Stock(item)).timeout(PATIENCE).await {
        Ok(Some(left)) => Json(Left { left }).into_response(),
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => unanswered(error),
    }
}

async fn reserve(
    State(service): State<Service>,
    Path(item): Path<String>,
    Json(Amount { amount }): Json<Amount>,
) -> Response {
    let shard = service.store.shard_of(&item);
    match shard.ask(Reserve { item, amount }).timeout(PATIENCE).await {
        Ok(Ok(left)) => Json(Left { left }).into_response(),
        Ok(Err(Refusal::Unknown)) => StatusCode::NOT_FOUND.into_response(),
        Ok(Err(Refusal::TooFew(left))) => {
            (StatusCode::CONFLICT, Json(Left { left })).into_response()
        }
        Err(error) => unanswered(error),
    }
}

async fn add_stock(
    State(service): State<Service>,
    Path(item): Path<String>,
    Json(Amount { amount }): Json<Amount>,
) -> Response {
    let shard = service.store.shard_of(&item);
    match shard.ask(AddStock { item, amount }).timeout(PATIENCE).await {
        Ok(left) => Json(Left { left }).into_response(),
        Err(error) => unanswered(error),
    }
}

/// Makes a shard crash in the middle of its next reservation.
async fn crash(State(service): State<Service>, Path(number): Path<usize>) -> StatusCode {
    let Some(shard) = service.store.shard(number) else {
        return StatusCode::NOT_FOUND;
    };
    match shard.try_send(Crash).await {
        Ok(()) => StatusCode::ACCEPTED,
        Err(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Returns two lines: the number of failed shards, and the number of events dropped at their restarts.
async fn figures(State(service): State<Service>) -> String {
    let Figures {
        failures,
        dropped_at_restarts,
    } = &*service.figures;
    format!(
        "{}\n{}\n",
        failures.load(Ordering::Relaxed),
        dropped_at_restarts.load(Ordering::Relaxed)
    )
}

/// The response to the client if the actor has not answered.
fn unanswered(error: AskError) -> Response {
    (status(error), error.to_string()).into_response()
}

/// The status says if a retry makes sense, and if the request may have been carried out.
pub(crate) fn status(error: AskError) -> StatusCode {
    match error {
        AskError::Full | AskError::Stopped => StatusCode::SERVICE_UNAVAILABLE,
        AskError::TimedOut => StatusCode::GATEWAY_TIMEOUT,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
