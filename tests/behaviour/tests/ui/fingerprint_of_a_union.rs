use actor_core::Fingerprint;

#[derive(Fingerprint)]
union Word {
    number: u32,
    bytes: [u8; 4],
}

fn main() {}
