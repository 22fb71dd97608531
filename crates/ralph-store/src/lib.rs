//! Runs, iterations, evidence, sessions and events that survive crashes.
