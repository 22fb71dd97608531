//! One step per event, the driver loop and its event stream.
