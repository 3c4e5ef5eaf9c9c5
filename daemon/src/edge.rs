//! The daemon's outward interfaces: [`grpc`] for clients, [`output`] for a terminal.

pub mod grpc;
pub mod output;
