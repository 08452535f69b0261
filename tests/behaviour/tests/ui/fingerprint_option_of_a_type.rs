use actor_core::Fingerprint;

#[derive(Fingerprint)]
#[fingerprint(skip)]
struct Replica {
    term: u64,
}

fn main() {}
