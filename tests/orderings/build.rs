//! Makes actor-core use the locks of loom, for this package only.

fn main() {
    println!("cargo::rustc-cfg=loom_model");
    println!("cargo::rerun-if-changed=build.rs");
}
