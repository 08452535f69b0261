fn main() {
    let _ = actor_test::__fault_kind!(cal);
}
