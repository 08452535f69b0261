use actor_core::Fingerprint;

#[derive(Fingerprint)]
struct Replica {
    log: u64,
    #[fingerprint(skip(term))]
    term: u64,
    #[fingerprint(skip = true)]
    vote: u64,
}

fn main() {}
