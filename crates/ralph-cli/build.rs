//! How the binary is linked.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Whoever waits for a hook waits for its start. A program that can be put
    // anywhere in memory has some 30,000 addresses to be filled in first, which
    // takes most of the pages and a third of the instructions of a short call.
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
