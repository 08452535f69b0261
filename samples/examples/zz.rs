#![allow(missing_docs)]
use std::time::Duration;
use actor_test::{Semantics, Tester, strategy};
use samples::failure_detector::*;
fn main() {
    let hurry = Timing { pause: Duration::from_millis(50), ..Timing::default() };
    let mut semantics = Semantics::default(); semantics.patient_timers = true;
    for bug in [None, Some(Bug::CountPings)] {
    let r = Tester::new().iterations(20).strategy(strategy::StrategySpec::Random).semantics(semantics).max_steps(1000).run(|sys| { sys.monitor::<Backlog>(); set_up(sys, 2, hurry, bug); });
    println!("{:?} {} {:?} {:?}", r.steps, r.fair_at_bound, r.vacuous, r.bugs.first().map(|b| &b.finding));
    }
    let r = Tester::new().iterations(200).strategy(strategy::StrategySpec::Random).semantics(semantics).max_steps(1000).run(|sys| { sys.monitor::<Accuracy>(); set_up(sys, 2, Timing::default(), Some(Bug::EarlyVerdict)); sys.always("x", |_| true); });
    if let Some(b) = r.bugs.first() { for s in &b.trace.story { println!("{s:?}"); } }
}
