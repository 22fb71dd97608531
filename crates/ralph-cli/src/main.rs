//! The binary `ralph`.

fn main() {}
