use actor_core::protocol;

#[protocol]
trait Store {}

fn main() {}
