use actor_core::prelude::*;
use actor_test::Tester;

use super::{Bug, Client, Server, set_up};

fn promises(sys: &System, server: ActorRef<Server>, pings: u64) {
    sys.always("the server answers no more than it was asked", {
        let server = server.clone();
        move |world| world.get(&server).is_none_or(|server| server.served <= pings)
    });
    sys.eventually("every client is served", move |world| {
        world.all::<Client>().all(|client| client.rounds_left == 0)
    });
    sys.sometimes("two clients wait at once", move |world| {
        world.get(&server).is_some_and(|server| server.askers.len() >= 2)
    });
}
#[test]
fn t() {
    for seed in 0..10 {
        let r = Tester::new().seed(seed).iterations(1000).keep_going().run(|sys| { let s = set_up(sys, 3, 5, None); promises(sys, s, 15); });
        r.assert_clean();
        println!("{:?} {:?} {:?}", r.steps, r.vacuous, r.behaviours);
        let r = Tester::new().seed(seed).iterations(1000).keep_going().run(|sys| { let s = set_up(sys, 3, 5, Some(Bug::OneAsker)); promises(sys, s, 15); });
        println!("{:?} {:?}", r.steps, r.strategies);
        for b in &r.bugs[..2] { println!("{:?} {:?}", b.finding, b.iteration); }
    }
}
