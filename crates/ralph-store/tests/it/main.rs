//! The stores through their public interface.

mod contract;
mod many;
