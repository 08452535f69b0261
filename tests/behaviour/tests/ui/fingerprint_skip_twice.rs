use actor_core::Fingerprint;

#[derive(Fingerprint)]
struct Replica {
    #[fingerprint(skip, skip)]
    term: u64,
}

fn main() {}
