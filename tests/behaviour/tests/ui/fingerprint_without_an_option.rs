use actor_core::Fingerprint;

#[derive(Fingerprint)]
struct Replica {
    log: u64,
    #[fingerprint]
    term: u64,
    #[fingerprint()]
    vote: u64,
}

fn main() {}
