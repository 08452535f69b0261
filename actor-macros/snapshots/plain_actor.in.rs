#[actor]
impl Server {
    #[on]
    fn ping(&mut self, ping: Ping) {
        self.served += 1;
        ping.from.tell(Pong);
    }

    /// The return value of a handler is the reply to an `ask`.
    #[on]
    fn served(&mut self, _: HowMany) -> u64 {
        self.served
    }
}
