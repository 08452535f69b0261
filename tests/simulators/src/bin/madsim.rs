//! The ring under madsim: endpoints on nodes, with the default latency.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use madsim::net::Endpoint;
use madsim::runtime::{Handle, Runtime};
use madsim::time::sleep;
use simulators::{BALLS, Ball, EACH, EXECUTIONS, HOSTS, ROOM, measure};

const TAG: u64 = 1;

fn main() {
    assert!(
        cfg!(madsim),
        "built without `--cfg madsim`, it is no simulator"
    );
    measure(|| (0..EXECUTIONS).map(execute).sum());
}

fn address(host: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, host as u8 + 1], 1738))
}

fn execute(seed: u64) -> u64 {
    let arrived = Arc::new(AtomicU64::new(0));
    let counted = arrived.clone();
    let runtime = Runtime::with_seed_and_config(seed, madsim::Config::default());
    runtime.block_on(async move {
        let hosts: Vec<_> = (0..HOSTS)
            .map(|host| {
                let handle = Handle::current();
                let node = handle.create_node().ip(address(host).ip()).build();
                node.spawn(play(host, counted.clone()))
            })
            .collect();
        for host in hosts {
            host.await.expect("a host is done");
        }
    });
    arrived.load(Ordering::Relaxed)
}

async fn play(host: usize, arrived: Arc<AtomicU64>) {
    let endpoint = Endpoint::bind(address(host)).await.expect("it is bound");
    let next = address((host + 1) % HOSTS);
    // All endpoints are bound by then.
    sleep(Duration::from_secs(1)).await;
    let mut bytes = [0; ROOM];
    for _ in 0..BALLS {
        let length = Ball::of(host).encode(&mut bytes);
        let sent = endpoint.send_to(next, TAG, &bytes[..length]).await;
        sent.expect("it is sent");
    }
    for _ in 0..EACH {
        let received = endpoint.recv_from(TAG, &mut bytes).await;
        let (length, _) = received.expect("a ball");
        arrived.fetch_add(1, Ordering::Relaxed);
        if let Some(ball) = Ball::decode(&bytes[..length]).hand_on() {
            let length = ball.encode(&mut bytes);
            let sent = endpoint.send_to(next, TAG, &bytes[..length]).await;
            sent.expect("it is sent");
        }
    }
}
