use actor_core::{Fingerprint, Fingerprinter};

struct Opaque(u32);

#[derive(Fingerprint)]
struct Buffer<T> {
    items: Vec<T>,
}

fn main() {
    let buffer = Buffer { items: vec![Opaque(1)] };
    Fingerprinter::of(&buffer);
}
