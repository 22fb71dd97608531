//! Tree ids of a work tree, in git and outside.
