//! Work beside an actor, a periodic timer, and a test that polls until it has an answer.

// ANCHOR: station
use std::time::Duration;

use actor_core::cover;
use actor_core::prelude::*;

#[derive(Debug)]
pub struct Measure;
#[derive(Debug)]
pub struct Measured(Result<usize, AskError>);
#[derive(Clone, Debug)]
pub struct Tick;
#[derive(Debug)]
pub struct Warmest;

#[derive(Debug)]
pub struct Thermometer;

#[actor]
impl Thermometer {
    #[on]
    fn measure(&mut self, _: Measure, cx: &mut Context<Self>) -> usize {
        cx.choose(40)
    }
}

#[derive(Debug)]
pub struct Station {
    thermometer: ActorRef<Thermometer>,
    warmest: Option<usize>,
}

#[actor]
impl Station {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(Duration::from_secs(60), Tick);
    }

    /// Asks without waiting: the answer comes as an event.
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        let reading = self.thermometer.ask(Measure);
        cx.pipe_to_self(reading.timeout(Duration::from_secs(5)), Measured);
    }

    // ANCHOR: cover
    #[on]
    fn measured(&mut self, measured: Measured) {
        match measured.0 {
            Ok(degrees) => self.warmest = self.warmest.max(Some(degrees)),
            Err(_) => cover!("the thermometer is slow"),
        }
    }
    // ANCHOR_END: cover

    #[on]
    fn warmest(&mut self, _: Warmest) -> Option<usize> {
        self.warmest
    }
}
// ANCHOR_END: station

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test]
    async fn it_gets_warm(sys: &System) {
        let thermometer = sys.spawn(Thermometer);
        let station = sys.spawn(Station {
            thermometer,
            warmest: None,
        });
        // ANCHOR: until
        while station.ask(Warmest).await == Ok(None) {
            sys.sleep(Duration::from_secs(30)).await;
        }
        sys.finish();
        // ANCHOR_END: until
    }

    // ANCHOR: ignored
    #[ignore = "takes ten minutes"]
    #[actor_test(iterations = 1_000_000)]
    async fn it_gets_warm_at_many_stations(sys: &System) {
        let thermometer = sys.spawn(Thermometer);
        for _ in 0..10 {
            let thermometer = thermometer.clone();
            let warmest = None;
            sys.spawn(Station {
                thermometer,
                warmest,
            });
        }
        sys.sleep(Duration::from_secs(3600)).await;
        sys.finish();
    }
    // ANCHOR_END: ignored
}
// ANCHOR_END: tests
