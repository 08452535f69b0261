#[actor_test(iterations = 1000, max_steps = "500:2000", strategy = "pct:3", strategy = "random", expect_bug = "a pong", timers = patient)]
/// Every ping is answered.
#[ignore]
fn every_ping_is_answered(sys: &System) {
    sys.spawn(Server::default());
}
