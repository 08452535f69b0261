use actor_core::Fingerprint;

#[derive(Fingerprint)]
struct Replica {
    log: u64,
    #[fingerprint(skp)]
    term: std::fs::File,
}

fn main() {}
