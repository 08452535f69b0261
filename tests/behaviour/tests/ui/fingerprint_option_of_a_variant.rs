use actor_core::Fingerprint;

#[derive(Fingerprint)]
enum Role {
    Follower,
    #[fingerprint(skip)]
    Candidate { votes: u32 },
}

fn main() {}
