//! Real processes under the real supervisor.
#![cfg(target_os = "linux")]

#[cfg(test)]
mod ending;
#[cfg(test)]
mod feeding;
#[cfg(test)]
mod overlay;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod stopping;
#[cfg(test)]
mod tree;
