#[actor(pub(crate), states(Follower, Leader), receive(Vote), crate = ::renamed)]
impl<S: Storage, const N: usize> Replica<S, N>
where
    S: Send + 'static,
{
    #[on(Leader)]
    async fn put(&mut self, put: Put<S::Key>) -> Result<(), S::Error> {
        self.store.put(put.key)
    }

    #[on(Follower)]
    fn refuse(&mut self, _: Put<S::Key>, cx: &mut Context<Self>) -> Result<(), S::Error> {
        cx.goto(ReplicaState::Leader);
        Ok(())
    }

    #[on]
    fn state(&self, _: Ask<Self>) -> Option<Self> {
        None
    }
}
