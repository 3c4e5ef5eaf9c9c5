//! Waiting, cancelling, and replies that nobody reads, on a runner with one slot per class.

use super::super::fair_semaphore::ClientId;
use super::*;
use crate::config::Config;
use std::path::Path;
use std::sync::mpsc;
use tonic::Code;

/// An engine that watches nothing, with one slot per class; it never drains.
fn runner() -> RequestRunner {
    let (leave, runner) = runner_that_drains();
    std::mem::forget(leave);
    runner
}

/// A runner that drains once true is sent.
fn runner_that_drains() -> (watch::Sender<bool>, RequestRunner) {
    let (leave, draining) = watch::channel(false);
    let mut config = Config {
        grpc: grpc(),
        ..Config::default()
    };
    // Nothing is extracted here.
    config.extract.require_sandbox = false;
    let engine = Arc::new(Engine::start(config, Path::new("/bin/false")).unwrap());
    let disk = Arc::new(DiskGuard::new(&engine.data_dir, 0));
    let (slot, grpc) = (EngineSlot::holding(engine), grpc());
    let runner = RequestRunner::new(Arc::new(slot), grpc, disk, draining);
    (leave, runner)
}

fn grpc() -> GrpcConfig {
    GrpcConfig {
        max_queries: 1,
        deadline_seconds: 1,
        ..GrpcConfig::default()
    }
}

fn until(patience: Duration) -> Caller {
    Caller {
        client: ClientId::default(),
        deadline: Instant::now() + patience,
        is_lasting: false,
    }
}

fn in_time() -> Caller {
    until(Duration::from_secs(120))
}

fn soon() -> Caller {
    until(Duration::from_millis(50))
}

/// Runs until nobody waits for it.
fn endless(cancel: &Cancel) -> Result<(), Refused> {
    loop {
        cancel.check()?;
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn work_stops_once_its_client_is_gone_and_gives_its_place_back() {
    let runner = runner();
    let (started, begun) = mpsc::channel();
    let (stopped, over) = mpsc::channel();
    let asked = runner.run_blocking(RequestClass::Query, in_time(), move |_, cancel| {
        let _ = started.send(());
        let ended = endless(cancel);
        let _ = stopped.send(());
        ended
    });
    let waiting = async { tokio::task::spawn_blocking(move || begun.recv()).await };
    tokio::select! {
        _ = asked => unreachable!("it ends only when nobody waits for it"),
        begun = waiting => begun.unwrap().unwrap(),
    }
    // Well before its deadline.
    over.recv_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(
        runner
            .run_blocking(RequestClass::Query, in_time(), |_, _| Ok(7))
            .await
            .unwrap(),
        7
    );
    runner.engine().unwrap().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn work_ends_at_its_deadline() {
    let runner = runner();
    let asked = runner.run_blocking(RequestClass::Query, soon(), |_, cancel| endless(cancel));
    assert_eq!(asked.await.unwrap_err().code(), Code::DeadlineExceeded);
    runner.engine().unwrap().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_class_is_waited_for_and_leaves_the_others_free() {
    let runner = runner();
    let slot = runner.enter(RequestClass::Query, in_time()).await.unwrap();
    let refused = runner.enter(RequestClass::Query, soon()).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert!(runner.enter(RequestClass::Stream, in_time()).await.is_ok());
    assert!(runner.enter(RequestClass::Work, in_time()).await.is_ok());
    drop(slot);
    assert!(runner.enter(RequestClass::Query, in_time()).await.is_ok());
    runner.engine().unwrap().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_waits_for_a_slot_no_longer_than_for_its_client() {
    let runner = runner();
    let slot = runner.enter(RequestClass::Stream, in_time()).await.unwrap();
    let caller = runner.long_caller(&Request::new(()));
    assert!(caller.deadline > Instant::now() + Duration::from_secs(3_600));
    let refused = runner
        .enter(RequestClass::Stream, caller)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert!(refused.message().contains("deadline_seconds"), "{refused}");
    drop(slot);
    assert!(runner.enter(RequestClass::Stream, caller).await.is_ok());
    runner.engine().unwrap().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn work_that_panics_fails_its_own_request_only() {
    let runner = runner();
    let asked =
        runner.run_blocking::<()>(RequestClass::Query, in_time(), |_, _| panic!("on purpose"));
    assert_eq!(asked.await.unwrap_err().code(), Code::Internal);
    assert!(
        runner
            .run_blocking(RequestClass::Query, in_time(), |_, _| Ok(()))
            .await
            .is_ok()
    );
    runner.engine().unwrap().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_end_with_the_engine_and_wait_for_the_next_outside() {
    let runner = runner();
    let (started, begun) = mpsc::channel();
    let slot = Arc::clone(&runner.engine);
    let reopening = std::thread::spawn(move || {
        begun.recv().unwrap();
        let engine = slot.take("the disk failed").unwrap();
        engine.stop();
        engine
    });
    let asked = runner.run_blocking(RequestClass::Query, in_time(), move |_, cancel| {
        let _ = started.send(());
        let ended = endless(cancel);
        let in_time = cancel.deadline().is_some_and(|at| Instant::now() < at);
        assert!(in_time, "it went on until its own deadline");
        ended
    });
    let refused = asked.await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    assert!(refused.message().contains("the disk failed"), "{refused}");
    let refused = runner
        .run_blocking(RequestClass::Query, in_time(), |_, _| Ok(()))
        .await;
    assert_eq!(refused.unwrap_err().code(), Code::Unavailable);
    // Nobody holds the old engine any more, so that its index can be closed.
    let engine = reopening.join().unwrap();
    assert_eq!(Arc::strong_count(&engine), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_that_hang_keep_nobody_from_the_status() {
    let runner = Arc::new(runner());
    let (release, gate) = mpsc::channel::<()>();
    let (started, begun) = mpsc::channel();
    let hanging = Arc::clone(&runner);
    // Like a read of a share that hangs: it checks neither deadline nor flag.
    let hangs = tokio::spawn(async move {
        let work = move |_: &Engine, _: &Cancel| {
            let _ = started.send(());
            let _ = gate.recv();
            Ok(())
        };
        let class = RequestClass::Query;
        hanging.run_blocking(class, in_time(), work).await
    });
    tokio::task::spawn_blocking(move || begun.recv())
        .await
        .unwrap()
        .unwrap();
    let query = runner.run_blocking(RequestClass::Query, soon(), |_, _| Ok(()));
    assert_eq!(query.await.unwrap_err().code(), Code::ResourceExhausted);
    let status = runner.run_blocking(RequestClass::Status, in_time(), |_, _| Ok(7));
    assert_eq!(status.await.unwrap(), 7);
    drop(release);
    hangs.await.unwrap().unwrap();
    runner.engine().unwrap().stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn work_without_a_near_end_takes_its_memory_as_such() {
    let (runner, request) = (runner(), Request::new(()));
    assert!(runner.long_caller(&request).is_lasting);
    assert!(!runner.caller(&request).is_lasting);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_work_ends_when_the_daemon_drains_and_a_query_does_not() {
    let (leave, runner) = runner_that_drains();
    let (started, begun) = mpsc::channel();
    let (stopped, over) = mpsc::channel();
    let asked = runner.run_blocking(RequestClass::Work, in_time(), move |_, cancel| {
        let _ = started.send(());
        let ended = endless(cancel);
        let in_time = cancel.deadline().is_some_and(|at| Instant::now() < at);
        let _ = stopped.send(in_time);
        ended
    });
    let leaving = tokio::task::spawn_blocking(move || {
        begun.recv().unwrap();
        leave.send_replace(true);
        leave
    });
    let refused = asked.await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    assert_eq!(refused.message(), "simdexd is stopping");
    assert!(over.recv().unwrap(), "it went on until its own deadline");
    let leave = leaving.await.unwrap();
    let late = runner.run_blocking(RequestClass::Work, in_time(), |_, _| Ok(()));
    assert_eq!(late.await.unwrap_err().code(), Code::Unavailable);
    let query = runner.run_blocking(RequestClass::Query, in_time(), |_, _| Ok(7));
    assert_eq!(query.await.unwrap(), 7);
    runner.engine().unwrap().stop();
    drop(leave);
}

#[test]
fn a_request_refused_while_the_index_is_closed_says_what_to_do() {
    for refused in [stopping(), reopened()] {
        let advice = refused.metadata().get_bin(simdex_proto::v1::ERROR_DETAIL);
        assert!(advice.is_some(), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_of_long_work_ends_when_the_daemon_drains() {
    use tokio_stream::StreamExt;
    let (leave, runner) = runner_that_drains();
    let (started, begun) = mpsc::channel();
    let work = move |_: &Engine, sender: &ReplySender<simdex_proto::v1::Event>| {
        let _ = started.send(());
        endless(sender.cancel())
    };
    let mut replies = runner
        .stream(RequestClass::Work, in_time(), work)
        .await
        .unwrap();
    tokio::task::spawn_blocking(move || begun.recv())
        .await
        .unwrap()
        .unwrap();
    leave.send_replace(true);
    let refused = replies.next().await.unwrap().unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    assert_eq!(refused.message(), "simdexd is stopping");
    runner.engine().unwrap().stop();
}
