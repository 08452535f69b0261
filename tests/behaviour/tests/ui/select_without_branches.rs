use actor_core::select;

async fn first() -> u32 {
    select! { else => 1 }
}

fn main() {}
