#[actor(states(Up, Down(ignore(Ping))))]
impl Node {
    #[cfg(feature = "metrics")]
    #[on]
    fn count(&mut self, _: Count) -> u64 {
        self.count
    }

    #[cfg(unix)]
    #[on(Down)]
    fn ping_down(&mut self, _: Ping) {}

    #[on(Up)]
    fn ping(&mut self, _: Ping) {}

    #[cfg(unix)]
    #[on]
    fn signal(&mut self, _: Signal) {}

    #[cfg(windows)]
    #[on]
    fn signal(&mut self, _: Signal) {}

    #[cfg(unix)]
    #[start]
    async fn start(&mut self) {}
}
