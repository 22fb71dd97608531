//! Scripted agents and temporary projects for the tests.
