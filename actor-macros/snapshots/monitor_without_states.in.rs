#[monitor]
impl Positive {
    #[on(replied)]
    fn balance(&mut self, balance: &Balance) {
        assert!(balance.0 >= 0);
    }

    #[cfg(unix)]
    #[on]
    fn signal(&mut self, _: &Signal) {}
}
