#[actor(states(Idle, Waiting(defer(Stop), ignore(Tick)), Done))]
impl Client {
    #[entry(Idle)]
    fn begin(&mut self, cx: &mut Context<Self>) {
        self.server.tell(Ping { from: cx.recipient() });
        cx.goto(ClientState::Waiting);
    }

    #[on(Waiting)]
    fn pong(&mut self, _: Pong, cx: &mut Context<Self>) {
        self.left -= 1;
        cx.goto(if self.left == 0 { ClientState::Done } else { ClientState::Idle });
    }

    #[on]
    async fn stop(&mut self, _: Stop, cx: &mut Context<Self>) {
        let served = self.server.ask(HowMany).await;
        cx.halt();
    }

    #[on(Idle, Done)]
    fn late_pong(&mut self, _: Pong) {}
}
