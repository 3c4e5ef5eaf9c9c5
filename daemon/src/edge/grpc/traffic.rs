//! Limits that apply to every request, whichever service answers it.
//!
//! A request whose client stops sending is ended; its bytes are counted until it is answered; each
//! user has a share of the requests under way; and a reply is handed out in small pieces, so that a
//! client that does not read is noticed ([`super::peer`]).

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::{Bytes, Service, http};
use tower::Layer;

use super::limits::{ClientLimits, PIECE};
use super::peer::{Charge, Peer, Ticket};

/// Puts [`Traffic`] before all services.
#[derive(Clone, Copy)]
pub struct TrafficLayer {
    limits: ClientLimits,
}

impl TrafficLayer {
    /// A layer with these limits.
    pub fn new(limits: ClientLimits) -> Self {
        Self { limits }
    }
}

impl<S> Layer<S> for TrafficLayer {
    type Service = Traffic<S>;

    fn layer(&self, inner: S) -> Traffic<S> {
        Traffic {
            inner,
            limits: self.limits,
        }
    }
}

/// Services behind the limits of this file.
#[derive(Clone)]
pub struct Traffic<S> {
    inner: S,
    limits: ClientLimits,
}

/// Bytes of the request being answered: a handler that stores them elsewhere reports it here.
#[derive(Clone)]
pub(super) struct RequestBytes(Arc<Charge>);

impl RequestBytes {
    /// This many bytes need no memory any more.
    pub(super) fn stored(&self, count: usize) {
        self.0.release(count as u64);
    }
}

/// Held until the reply has been read to its end; put it into the extensions of a response.
#[derive(Clone)]
pub(super) struct WithReply {
    _held: Arc<dyn Send + Sync>,
}

impl WithReply {
    pub(super) fn keep(held: impl Send + Sync + 'static) -> Self {
        Self {
            _held: Arc::new(held),
        }
    }
}

impl<S> Service<http::Request<Body>> for Traffic<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>>,
    S::Future: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let Some(peer) = request.extensions().get::<Peer>().cloned() else {
            let status = Status::internal("the connection is not known");
            return Box::pin(async move { Ok(status.into_http()) });
        };
        let ticket = match peer.begin() {
            Ok(ticket) => ticket,
            Err(status) => return Box::pin(async move { Ok(status.into_http()) }),
        };
        let charge = Arc::new(Charge::new(&peer));
        let (mut head, body) = request.into_parts();
        head.extensions.insert(RequestBytes(Arc::clone(&charge)));
        let body = Incoming::new(body, &self.limits, Arc::clone(&charge));
        let request = http::Request::from_parts(head, Body::new(body));
        let answered = self.inner.call(request);
        Box::pin(async move {
            let (mut head, body) = answered.await?.into_parts();
            drop(charge);
            let body = Outgoing {
                body,
                ticket,
                rest: Bytes::new(),
                _held: head.extensions.remove::<WithReply>(),
            };
            Ok(http::Response::from_parts(head, Body::new(body)))
        })
    }
}

/// The body of a request: it must keep arriving, and be complete in time.
struct Incoming {
    body: Body,
    idle: Duration,
    until: Instant,
    /// The timer that runs while nothing arrives.
    silence: Option<Pin<Box<Sleep>>>,
    charge: Arc<Charge>,
}

impl Incoming {
    fn new(body: Body, limits: &ClientLimits, charge: Arc<Charge>) -> Self {
        Self {
            body,
            idle: limits.idle,
            until: Instant::now() + limits.sending,
            silence: None,
            charge,
        }
    }

    fn waited(&mut self, context: &mut Context<'_>) -> Poll<Status> {
        let wait = || {
            Box::pin(tokio::time::sleep_until(
                (Instant::now() + self.idle).min(self.until),
            ))
        };
        let silence = self.silence.get_or_insert_with(wait);
        silence.as_mut().poll(context).map(|()| {
            let seconds = self.idle.as_secs();
            Status::deadline_exceeded(format!(
                "the request was not sent in time: it ends after {seconds} s without a byte"
            ))
        })
    }
}

impl HttpBody for Incoming {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Pending => self.waited(context).map(|status| Some(Err(status))),
            Poll::Ready(Some(Ok(frame))) => {
                self.silence = None;
                let length = frame.data_ref().map_or(0, Bytes::len) as u64;
                let counted = self.charge.add(length);
                Poll::Ready(Some(counted.map(|()| frame)))
            }
            Poll::Ready(end) => Poll::Ready(end),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of a reply, in pieces, with everything that is held until it has been read.
struct Outgoing {
    body: Body,
    ticket: Ticket,
    /// The rest of a message that is handed out piece by piece.
    rest: Bytes,
    _held: Option<WithReply>,
}

impl HttpBody for Outgoing {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        // A client that asks for more has taken in what there was.
        self.ticket.taken();
        if self.rest.is_empty() {
            let frame = match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => frame,
                other => return other,
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let length = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(length);
        self.ticket.handed(length);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }
}
