#[monitor(hot(Pending), cold(Quiet), warm(Paused))]
impl Answered {
    #[on]
    fn ping(&mut self, _: &Ping, cx: &mut MonitorContext<Self>) {
        cx.goto(AnsweredState::Pending);
    }

    #[on(Pending, Paused, handled)]
    fn pong(&mut self, _: &Pong, cx: &mut MonitorContext<Self>) {
        cx.goto(AnsweredState::Quiet);
    }

    #[on(Quiet, handled)]
    fn unasked(&mut self, _: &Pong) {
        panic!("a pong that nobody asked for");
    }
}
