//! A load test: starts the service and sends it as many requests as it can answer,
//! while shards crash. Usage: `cargo run --release --bin load [-- SECONDS CONNECTIONS
//! CRASHES_PER_SECOND]`; the defaults are 10 s, 64 connections and 20 crashes a second.
//!
//! The test fails if a request has no answer, or if more was reserved than
//! added. Each crash may lose the request in hand and those in the mailbox,
//! as the rules of supervision say; any other loss fails the test, too.

use std::io;
use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use service::{Layout, web};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::timeout;

const LAYOUT: Layout = Layout {
    shards: 8,
    mailbox: 16,
};

const ITEMS: u64 = 32;

/// A request without an answer after this time has failed.
const PATIENCE: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> io::Result<()> {
    let number = |at, default| match std::env::args().nth(at) {
        Some(argument) => argument.parse().map_err(io::Error::other),
        None => Ok(default),
    };
    let (seconds, connections, rate) = (number(1, 10)?, number(2, 64)?, number(3, 20)?);
    // The panics are intended: each is an injected crash.
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    let (end, ended) = oneshot::channel::<()>();
    let serving = tokio::spawn(web::serve(listener, LAYOUT, async {
        let _ = ended.await;
    }));
    let mut boss = Client::connect(&address).await?;
    let mut counts = Counts::default();
    for item in 0..ITEMS {
        boss.add(item, 1_000, &mut counts).await?;
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let mut clients = Vec::new();
    for number in 0..connections {
        let client = Client::connect(&address).await?;
        clients.push(tokio::spawn(client.run(number, is_over.clone())));
    }
    let began = Instant::now();
    let crashes = boss.crash(rate, Duration::from_secs(seconds)).await?;
    is_over.store(true, Ordering::Relaxed);
    for client in clients {
        counts += client.await??;
    }
    counts.print(began.elapsed());
    let figures = boss.get("/admin/figures").await?;
    let mut left = 0;
    for item in 0..ITEMS {
        left += boss.left(item).await?;
    }
    drop(boss);
    let _ = end.send(());
    serving.await??;
    check(&counts, crashes, left, &figures.body);
    Ok(())
}

fn check(counts: &Counts, crashes: u64, left: u64, figures: &str) {
    let mut figures = figures.lines().map(|line| line.parse().unwrap_or(0));
    let (failures, dropped): (u64, u64) =
        (figures.next().unwrap_or(0), figures.next().unwrap_or(0));
    let predicted = failures + dropped;
    println!(
        "{crashes} crashes ordered, {failures} happened, each with 1 request in hand and {:.2} \
         waiting: {predicted} predicted to be lost, {:.3} % of all",
        dropped as f64 / failures.max(1) as f64,
        100.0 * predicted as f64 / counts.requests as f64,
    );
    // A client that had given up is not notified that its request is lost.
    assert!(
        counts.failed <= predicted,
        "more is lost than the rules say"
    );
    assert!(
        counts.failed + counts.timed_out >= predicted,
        "less is lost than the rules say"
    );
    assert!(
        counts.reserved + left <= counts.added + counts.perhaps_added,
        "more is reserved than there was"
    );
    assert!(
        counts.reserved + counts.perhaps_reserved + left >= counts.added,
        "something is neither there nor reserved"
    );
}

/// The number of requests with each outcome.
#[derive(Debug, Default)]
struct Counts {
    requests: u64,
    succeeded: u64,
    refused: u64,
    unavailable: u64,
    timed_out: u64,
    failed: u64,
    added: u64,
    reserved: u64,
    /// The amount of requests that were lost or took too long: it may have been added, or not.
    perhaps_added: u64,
    perhaps_reserved: u64,
}

impl Counts {
    /// Returns true if the request was carried out; `None` where that is not known.
    fn count(&mut self, status: u16) -> Option<bool> {
        self.requests += 1;
        let (count, done) = match status {
            200 => (&mut self.succeeded, Some(true)),
            404 | 409 => (&mut self.refused, Some(false)),
            503 => (&mut self.unavailable, Some(false)),
            504 => (&mut self.timed_out, None),
            500 => (&mut self.failed, None),
            _ => panic!("the service never answers {status}"),
        };
        *count += 1;
        done
    }

    fn print(&self, time: Duration) {
        println!(
            "{} requests in {:.1} s, {:.0} a second: {} succeeded, {} refused, {} 503, {} 504, {} 500",
            self.requests,
            time.as_secs_f64(),
            self.requests as f64 / time.as_secs_f64(),
            self.succeeded,
            self.refused,
            self.unavailable,
            self.timed_out,
            self.failed,
        );
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.succeeded += other.succeeded;
        self.refused += other.refused;
        self.unavailable += other.unavailable;
        self.timed_out += other.timed_out;
        self.failed += other.failed;
        self.added += other.added;
        self.reserved += other.reserved;
        self.perhaps_added += other.perhaps_added;
        self.perhaps_reserved += other.perhaps_reserved;
    }
}

/// A client with a connection that is kept alive.
struct Client {
    stream: BufReader<TcpStream>,
}

struct Answer {
    status: u16,
    body: String,
}

impl Client {
    async fn connect(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Sends one request after the other.
    async fn run(mut self, number: u64, is_over: Arc<AtomicBool>) -> io::Result<Counts> {
        let mut counts = Counts::default();
        let mut turn = number;
        while !is_over.load(Ordering::Relaxed) {
            turn += 1;
            let item = (turn + turn / 20) % ITEMS;
            match turn % 20 {
                0 => self.add(item, 16, &mut counts).await?,
                1 => {
                    let answer = self.get(&format!("/items/{item}")).await?;
                    counts.count(answer.status);
                }
                _ => self.reserve(item, &mut counts).await?,
            }
        }
        Ok(counts)
    }

    async fn add(&mut self, item: u64, amount: u64, counts: &mut Counts) -> io::Result<()> {
        let answer = self.post(&format!("/items/{item}/stock"), amount).await?;
        match counts.count(answer.status) {
            Some(true) => counts.added += amount,
            Some(false) => {}
            None => counts.perhaps_added += amount,
        }
        Ok(())
    }

    async fn reserve(&mut self, item: u64, counts: &mut Counts) -> io::Result<()> {
        let answer = self.post(&format!("/items/{item}/reserve"), 1).await?;
        match counts.count(answer.status) {
            Some(true) => counts.reserved += 1,
            Some(false) => {}
            None => counts.perhaps_reserved += 1,
        }
        Ok(())
    }

    /// Crashes one shard after the other, `rate` times a second; returns the number of crashes.
    async fn crash(&mut self, rate: u64, time: Duration) -> io::Result<u64> {
        let began = Instant::now();
        let mut crashes = 0;
        while began.elapsed() < time {
            let due = (began.elapsed().as_secs_f64() * rate as f64) as u64;
            for number in crashes..due {
                let shard = number % LAYOUT.shards as u64;
                self.post(&format!("/admin/shards/{shard}/crash"), 0)
                    .await?;
            }
            crashes = due;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(crashes)
    }

    /// Returns the amount of an item that is left.
    async fn left(&mut self, item: u64) -> io::Result<u64> {
        let answer = self.get(&format!("/items/{item}")).await?;
        let digits = answer
            .body
            .trim_matches(|letter: char| !letter.is_ascii_digit());
        digits.parse().map_err(io::Error::other)
    }

    async fn get(&mut self, path: &str) -> io::Result<Answer> {
        self.request(format!("GET {path} HTTP/1.1\r\nhost: here\r\n\r\n"))
            .await
    }

    async fn post(&mut self, path: &str, amount: u64) -> io::Result<Answer> {
        let body = format!("{{\"amount\":{amount}}}");
        self.request(format!(
            "POST {path} HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len(),
        ))
        .await
    }

    async fn request(&mut self, request: String) -> io::Result<Answer> {
        self.stream.write_all(request.as_bytes()).await?;
        timeout(PATIENCE, self.answer())
            .await
            .expect("every request is answered")
    }

    async fn answer(&mut self) -> io::Result<Answer> {
        let mut line = String::new();
        self.stream.read_line(&mut line).await?;
        let status = line.split_whitespace().nth(1);
        let status = status.and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other("no answer"))?;
        let mut length = 0;
        loop {
            line.clear();
            self.stream.read_line(&mut line).await?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            if name == "content-length" {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await?;
        let body = String::from_utf8(body).map_err(io::Error::other)?;
        Ok(Answer { status, body })
    }
}
