use actor_core::select;

async fn first() -> u32 {
    select! {
        Some(value) = async { Some(1) } => value,
        else => 0,
        value = async { 2 } => value,
    }
}

fn main() {}
