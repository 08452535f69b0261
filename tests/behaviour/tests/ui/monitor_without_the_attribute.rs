use actor_core::prelude::*;

struct A;

#[actor]
impl A {}

fn f(sys: &System) {
    sys.monitor::<A>();
}

fn main() {}
