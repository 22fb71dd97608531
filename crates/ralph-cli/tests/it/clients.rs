//! Real clients, a scripted model on the loopback, and `ralph` between them.

mod agents;
mod claude;
mod opencode;
