use actor_core::Fingerprint;

struct Opaque(u32);

#[derive(Fingerprint)]
struct Replica {
    log: Vec<u64>,
    socket: Opaque,
    locks: std::sync::Mutex<u64>,
}

fn main() {}
