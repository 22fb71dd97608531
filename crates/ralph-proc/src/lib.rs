//! Child processes whose whole tree dies with the turn.
