#[actor_test]
async fn the_server_counts(sys: &System) -> Result<(), AskError> {
    let server = sys.spawn(Server::default());
    assert_eq!(server.ask(HowMany).await?, 0);
    Ok(())
}
