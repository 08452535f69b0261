//! Ping-pong under shuttle, as threads and as futures.

use shuttle::sync::mpsc;
use shuttle::{future, thread};

/// A program: so many clients, each of so many round trips.
pub type Program = fn(usize, usize);

/// The programs, by the kind of concurrency that they use.
pub const PROGRAMS: [(&str, Program); 2] = [("threads", threads), ("futures", futures)];

/// One server thread, and client threads of so many round trips each.
pub fn threads(clients: usize, rounds: usize) {
    let (to_server, pings) = mpsc::channel::<mpsc::Sender<()>>();
    let server = thread::spawn(move || {
        let mut served = 0;
        while let Ok(client) = pings.recv() {
            served += 1;
            client.send(()).expect("a client waits for its pong");
        }
        served
    });
    let clients: Vec<_> = (0..clients)
        .map(|_| {
            let to_server = to_server.clone();
            thread::spawn(move || {
                let (to_me, pongs) = mpsc::channel();
                for _ in 0..rounds {
                    to_server.send(to_me.clone()).expect("the server runs");
                    pongs.recv().expect("the server answers");
                }
            })
        })
        .collect();
    drop(to_server);
    let expected = clients.len() * rounds;
    for client in clients {
        client.join().expect("a client ends");
    }
    assert_eq!(server.join().expect("the server ends"), expected);
}

/// The same as futures, over the unbounded channel of the `futures` crate; one yield a message, since
/// that channel is no scheduling point of shuttle's.
pub fn futures(clients: usize, rounds: usize) {
    use futures_channel::mpsc::{UnboundedSender, unbounded};
    use futures_util::StreamExt;

    future::block_on(async move {
        let (to_server, mut pings) = unbounded::<UnboundedSender<()>>();
        let server = future::spawn(async move {
            let mut served = 0;
            while let Some(client) = pings.next().await {
                served += 1;
                future::yield_now().await;
                client
                    .unbounded_send(())
                    .expect("a client waits for its pong");
            }
            served
        });
        let clients: Vec<_> = (0..clients)
            .map(|_| {
                let to_server = to_server.clone();
                future::spawn(async move {
                    let (to_me, mut pongs) = unbounded();
                    for _ in 0..rounds {
                        future::yield_now().await;
                        to_server
                            .unbounded_send(to_me.clone())
                            .expect("the server runs");
                        pongs.next().await.expect("the server answers");
                    }
                })
            })
            .collect();
        drop(to_server);
        let expected = clients.len() * rounds;
        for client in clients {
            client.await.expect("a client ends");
        }
        assert_eq!(server.await.expect("the server ends"), expected);
    });
}
