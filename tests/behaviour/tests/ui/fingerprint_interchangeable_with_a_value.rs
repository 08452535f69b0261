use actor_core::Fingerprint;

#[derive(Fingerprint)]
#[fingerprint(interchangeable = true)]
struct Guest {
    is_inside: bool,
}

fn main() {}
