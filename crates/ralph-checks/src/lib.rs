//! Gates: checks that ralph executes itself.
