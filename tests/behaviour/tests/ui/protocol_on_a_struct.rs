use actor_core::protocol;

#[protocol]
struct Store;

fn main() {}
