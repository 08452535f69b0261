#[actor_test(size in Table::<u8, u32>::sizes(), t_wise = 1)]
async fn the_server_counts(sys: &System, size: u32) {
    let server = sys.spawn(Server::new(size));
    assert_eq!(server.ask(HowMany).await, Ok(0));
}
