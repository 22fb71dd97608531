//! Reads lines such as `Ulm-Bonn 420`.

use crate::graph::Road;

pub fn parse_road(line: &str) -> Result<Road, String> {
    let bad = || format!("bad road: {line}");
    let (towns, length) = line.rsplit_once(' ').ok_or_else(bad)?;
    let (from, to) = towns.split_once('-').ok_or_else(bad)?;
    let length = length.parse().map_err(|_| bad())?;
    Ok(Road { from: from.trim().to_owned(), to: to.trim().to_owned(), length })
}
