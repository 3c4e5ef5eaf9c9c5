//! The gRPC services as servers, with the limits of their messages.

use std::sync::Arc;

use simdex_proto::v1::admin_server::AdminServer;
use simdex_proto::v1::judging_server::JudgingServer;
use simdex_proto::v1::similarity_server::SimilarityServer;

use super::limits;
use super::{AdminService, JudgingService, ReportKeeping, RequestRunner, SimilarityService};

/// The service for requests; messages have at most `longest` bytes.
pub fn similarity(
    runner: &Arc<RequestRunner>,
    longest: usize,
) -> SimilarityServer<SimilarityService> {
    SimilarityServer::new(SimilarityService::new(Arc::clone(runner)))
        .max_decoding_message_size(longest)
        .max_encoding_message_size(longest)
}

/// The service for judgements; messages have at most `longest` bytes.
pub fn judging(runner: &Arc<RequestRunner>, longest: usize) -> JudgingServer<JudgingService> {
    JudgingServer::new(JudgingService::new(Arc::clone(runner)))
        .max_decoding_message_size(longest)
        .max_encoding_message_size(longest)
}

/// The administrative service; its requests are short.
pub fn admin(
    runner: Arc<RequestRunner>,
    kept: ReportKeeping,
    longest: usize,
) -> AdminServer<AdminService> {
    AdminServer::new(AdminService::new(runner, kept))
        .max_decoding_message_size(longest.min(limits::ADMIN_MESSAGE))
        .max_encoding_message_size(longest)
}
