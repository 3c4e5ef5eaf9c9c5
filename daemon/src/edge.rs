//! Where the daemon meets others: [`grpc`] for clients, [`output`] for a terminal.

pub mod grpc;
pub mod output;
