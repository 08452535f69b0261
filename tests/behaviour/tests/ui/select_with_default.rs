use actor_core::select;

async fn first() -> u32 {
    select! {
        value = async { 1 } => value,
        default => 2,
    }
}

fn main() {}
