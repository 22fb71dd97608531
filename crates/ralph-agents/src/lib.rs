//! Agents and hosts: how each is launched and understood.
