//! Health streams, counted as event streams because both last until their client disconnects.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::codegen::{Service, http};
use tonic::server::NamedService;

use super::caller::Caller;
use super::runner::{RequestClass, RequestRunner};
use super::traffic::WithReply;

/// The call that streams.
const WATCH: &str = "/grpc.health.v1.Health/Watch";

/// A health service whose streams each take a slot of the class of events.
#[derive(Clone)]
pub struct HealthWatches<S> {
    inner: S,
    runner: Arc<RequestRunner>,
}

impl<S> HealthWatches<S> {
    /// Wraps a service so that its streams take slots of this runner.
    pub fn new(inner: S, runner: Arc<RequestRunner>) -> Self {
        Self { inner, runner }
    }
}

impl<S: NamedService> NamedService for HealthWatches<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<http::Request<Body>> for HealthWatches<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let is_watch = request.uri().path() == WATCH;
        let caller = Caller::at_once(request.extensions());
        // The call does nothing before it is polled.
        let answered = self.inner.call(request);
        if !is_watch {
            return Box::pin(answered);
        }
        let runner = Arc::clone(&self.runner);
        Box::pin(async move {
            let slot = match runner.enter(RequestClass::Events, caller).await {
                Ok(slot) => slot,
                Err(refused) => return Ok(refused.into_http()),
            };
            let mut response = answered.await?;
            response.extensions_mut().insert(WithReply::keep(slot));
            Ok(response)
        })
    }
}
