#[derive(Fingerprint)]
#[fingerprint(crate = ::renamed)]
enum Job<A: Actor, T, U> {
    Idle,
    Running(Vec<T>, #[fingerprint(skip)] U),
    Done { by: ActorRef<A>, result: fn(U) -> T },
}
