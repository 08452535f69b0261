#[actor_test(size in 2..=4, lossy in [false, true], pairwise)]
fn a_leader_is_elected(sys: &System, size: u32, mut lossy: bool) {
    sys.spawn(Server::new(size, lossy));
}
