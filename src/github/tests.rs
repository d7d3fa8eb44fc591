//! The engine, against a server in memory.
