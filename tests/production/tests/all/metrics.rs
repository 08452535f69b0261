//! Metrics of actors in production.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Break, fallible};
use actor_core::prelude::*;
use metrics::{
    Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit,
    set_default_local_recorder,
};

/// A recorder that keeps all values, by names such as `actor_alive{Worker}`.
#[derive(Default)]
struct Kept {
    counts: Mutex<BTreeMap<String, Arc<AtomicU64>>>,
    samples: Mutex<BTreeMap<String, Arc<Samples>>>,
}

#[derive(Default)]
struct Samples(Mutex<Vec<f64>>);

impl HistogramFn for Samples {
    fn record(&self, value: f64) {
        self.0.lock().unwrap().push(value);
    }
}

fn name(key: &Key) -> String {
    let labels: Vec<_> = key.labels().map(|label| label.value()).collect();
    format!("{}{{{}}}", key.name(), labels.join(","))
}

impl Kept {
    fn at(&self, key: &Key) -> Arc<AtomicU64> {
        let mut counts = self.counts.lock().unwrap();
        counts.entry(name(key)).or_default().clone()
    }

    fn count(&self, name: &str) -> u64 {
        self.counts.lock().unwrap()[name].load(Ordering::Relaxed)
    }

    fn gauge(&self, name: &str) -> f64 {
        f64::from_bits(self.count(name))
    }

    fn samples(&self, name: &str) -> Vec<f64> {
        self.samples.lock().unwrap()[name].0.lock().unwrap().clone()
    }
}

impl Recorder for Kept {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.at(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.at(key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        let mut samples = self.samples.lock().unwrap();
        Histogram::from_arc(samples.entry(name(key)).or_default().clone())
    }
}

#[derive(Debug)]
struct Add;
#[derive(Debug)]
struct Rest;

#[derive(Default)]
struct Worker(u64);

#[actor]
impl Worker {
    #[on]
    fn add(&mut self, _: Add) {
        self.0 += 1;
    }

    #[on]
    async fn rest(&mut self, _: Rest, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_secs(2)).await;
    }

    #[on]
    fn fail(&mut self, _: Break) {
        panic!("ouch");
    }
}

#[tokio::test(start_paused = true)]
async fn messages_and_their_times_are_counted_by_type() {
    let kept = Kept::default();
    let _guard = set_default_local_recorder(&kept);
    let sys = System::new();
    let one = sys.spawn(Worker::default());
    let other = sys.spawn_named("other", Worker::default());
    assert_eq!(kept.gauge("actor_alive{Worker}"), 2.0);
    one.tell(Add);
    one.tell(Rest);
    one.tell(Add);
    sys.sleep(Duration::from_nanos(1)).await;
    other.tell(Rest);
    sys.sleep(Duration::from_millis(1_500)).await;
    assert_eq!(kept.count("actor_messages_handled_total{Worker}"), 1);
    sys.sleep(Duration::from_secs(2)).await;
    assert_eq!(kept.count("actor_messages_handled_total{Worker}"), 4);
    let seconds = kept.samples("actor_handler_seconds{Worker}");
    let rounded: Vec<_> = seconds.iter().map(|time| time.round()).collect();
    assert_eq!(rounded, [0.0, 2.0, 0.0, 2.0]);
    assert_eq!(kept.samples("actor_mailbox_depth{Worker}"), [3.0, 1.0]);
    sys.shutdown().await.unwrap();
    assert_eq!(kept.gauge("actor_alive{Worker}"), 0.0);
}

#[tokio::test(start_paused = true)]
async fn what_goes_wrong_is_counted_by_type() {
    let kept = Kept::default();
    let _guard = set_default_local_recorder(&kept);
    let sys = fallible();
    let supervised = sys.spawn_with(Worker::default);
    supervised.tell(Break);
    sys.sleep(Duration::from_secs(60)).await;
    assert_eq!(kept.count("actor_failures_total{Worker}"), 1);
    assert_eq!(kept.count("actor_restarts_total{Worker}"), 1);
    assert_eq!(kept.count("actor_messages_handled_total{Worker}"), 1);
    supervised.kill();
    sys.sleep(Duration::from_nanos(1)).await;
    supervised.tell(Add);
    supervised.tell(Add);
    assert_eq!(kept.count("actor_dead_letters_total{Worker}"), 2);
    assert_eq!(kept.gauge("actor_alive{Worker}"), 0.0);
}
