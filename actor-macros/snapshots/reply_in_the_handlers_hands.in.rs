#[actor(states(Idle, Busy))]
impl Server {
    #[on(Idle)]
    fn ping(&mut self, ping: Ping, reply: Reply<u64>, cx: &mut Context<Self>) {
        self.workers.tell(Work(ping, reply));
        cx.goto(ServerState::Busy);
    }

    #[on(Busy)]
    fn busy(&mut self, _: Ping) -> u64 {
        0
    }

    #[on]
    async fn later(&mut self, later: Later, reply: Reply<()>) {
        later.0.await;
        reply.send(());
    }
}
