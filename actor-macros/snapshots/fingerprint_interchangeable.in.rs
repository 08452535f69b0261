#[derive]
#[fingerprint(interchangeable)]
struct Guest {
    host: ActorRef<Host>,
    is_inside: bool,
}
