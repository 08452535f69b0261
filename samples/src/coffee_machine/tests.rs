use std::time::Instant;
use actor_test::strategy::StrategySpec;
use actor_test::Tester;
use super::{Bug, set_up};
#[test]
fn measure() {
    for s in ["random", "weighted"] { for n in [200u64, 1000] {
        let spec: StrategySpec = s.parse().unwrap();
        let mut lens = vec![]; let mut bound = 0; let begun = Instant::now();
        for seed in 0..400 {
            let r = Tester::new().seed(seed).iterations(1).strategy(spec.clone()).max_steps(n).run(|sys| { set_up(sys, None); });
            r.assert_clean();
            match r.steps { Some(st) => lens.push(st.max), None => bound += 1 }
        }
        let over = lens.iter().filter(|l| **l > n).count() + bound;
        println!("{s} N={n}: {}/{}/{} over {}% at bound {bound} {:?}", lens.iter().min().unwrap(), lens.iter().sum::<u64>()/lens.len() as u64, lens.iter().max().unwrap(), over as f64 / 4.0, begun.elapsed());
    }}
}
#[test]
fn bugs() {
    for s in ["random", "weighted"] { for bug in [Bug::HopperEqZero, Bug::NoHaltHandshake, Bug::RefillSilent] {
        let spec: StrategySpec = s.parse().unwrap();
        for seed in 0..10 {
        let r = Tester::new().seed(seed).iterations(1000).keep_going().strategy(spec.clone()).max_steps(1000).run(|sys| { set_up(sys, Some(bug)); });
        println!("{s} {bug:?} {seed}: {} of {}; {:?} {:?}", r.strategies[0].bugs, r.executions, r.bugs.first().map(|b| b.iteration), r.bugs.first().map(|b| &b.finding));
        }
    }}
}
