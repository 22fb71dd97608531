//! Real clients, a scripted model on the loopback, and `ralph` between them.

mod claude;
mod opencode;
