//! The daemon's life: listen for signals → build (engine, socket) → spawn (watchers, server) → drain.
//!
//! The [`crate::engine::supervisor`] replaces an engine that fails; the process ends only if the supervisor gives
//! up. Draining stops listening, gives requests under way [`GRACE`], then drops those that remain, which cancels
//! their work, and closes the index so that the next start need not suspect a crash.

mod health;
mod incoming;
mod notify;
mod place;
pub(crate) mod reports;
mod server;
mod signals;
mod socket;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use simdex_index::Cancel;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic_health::server::HealthReporter;

use crate::config::Config;
use crate::edge::grpc::RequestRunner;
use crate::engine::Engine;
use crate::engine::slot::EngineSlot;
use crate::engine::supervisor::{self, Supervisor};
use crate::host::Host;
use crate::host::alarms::Health;
use crate::host::descriptors;
use crate::reports::schedule::SchedulerThread;
use health::tell;
use server::{Served, Server, serve};
use signals::Signals;
use simdex_proto::text::counted;
use socket::Socket;

/// Time that requests under way have once the daemon is asked to stop.
const GRACE: Duration = Duration::from_secs(10);
/// Time that blocking work has to notice that it was cancelled.
const LAST_LOOK: Duration = Duration::from_secs(5);
/// Threads for tasks that never block.
const ASYNC_THREADS: usize = 2;
/// Blocking threads beyond those of requests, for spooled uploads.
const SPARE_THREADS: usize = 8;

/// Serves until a signal to stop (see `signals`). Fails with [`crate::error::EngineError::Locked`] if another
/// daemon holds the data directory.
pub fn run(config: Config, program: PathBuf) -> anyhow::Result<ExitCode> {
    start_log();
    let stop = Cancel::never();
    let setup = ProcessSetup::new(&config, &stop)?;
    tracing::debug!("simdexd {} starts", env!("CARGO_PKG_VERSION"));
    let mut running = match Running::build(setup, config, &program, &stop) {
        Err(error) if stop.check().is_err() => {
            let reason = format!("{error:#}");
            tracing::info!(reason, "simdexd stops before it is ready");
            return Ok(ExitCode::SUCCESS);
        }
        built => built?,
    };
    notify::ready();
    let signal = match running.wait() {
        Ok(signal) => signal,
        Err(error) => {
            running.leave();
            return Err(error);
        }
    };
    tracing::info!(signal, "simdexd stops");
    notify::stopping();
    running.drain()?;
    Ok(ExitCode::SUCCESS)
}

/// The log goes to standard error; `SIMDEX_LOG` filters it. It never holds document text.
fn start_log() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_env("SIMDEX_LOG")
        .unwrap_or_else(|_| EnvFilter::new("info,notify=error"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    // Only a test that runs two daemons in one process finds the logger already set.
    let _ = log.try_init();
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A panic of the storage engine that is turned into an error is logged as an error.
        if !simdex_index::store::is_panic_handled() {
            report(panic);
        }
    }));
}

/// What exists before anything else: the runtime, and the signal handlers.
struct ProcessSetup {
    runtime: Runtime,
    signals: Signals,
}

impl ProcessSetup {
    fn new(config: &Config, stop: &Cancel) -> anyhow::Result<Self> {
        let runtime = runtime(config)?;
        let signals = Signals::listen(&runtime, stop.clone());
        let signals = signals.context("signals cannot be waited for")?;
        Ok(Self { runtime, signals })
    }
}

/// A daemon that listens.
pub struct Running {
    host: Arc<Host>,
    slot: Arc<EngineSlot>,
    supervisor: Supervisor,
    /// Stopped with the daemon, before the engine.
    schedules: Option<SchedulerThread>,
    setup: ProcessSetup,
    socket: Socket,
    leave: watch::Sender<bool>,
    health: HealthReporter,
    teller: JoinHandle<()>,
    server: Server,
}

impl Running {
    /// Builds and spawns everything; `program` is the executable that extraction workers run.
    pub fn start(config: Config, program: &Path) -> anyhow::Result<Self> {
        let stop = Cancel::never();
        let setup = ProcessSetup::new(&config, &stop)?;
        Self::build(setup, config, program, &stop)
    }

    /// Starts like [`Running::start`], on a host prepared by the caller.
    pub fn on(host: Host, socket: &Path) -> anyhow::Result<Self> {
        let setup = ProcessSetup::new(&host.config, &host.stop)?;
        Self::listen(setup, host, socket)
    }

    fn build(
        setup: ProcessSetup,
        config: Config,
        program: &Path,
        stop: &Cancel,
    ) -> anyhow::Result<Self> {
        let places = place::find(&config)?;
        let config = Config {
            data_dir: Some(places.data_dir),
            ..config
        };
        let mut host = Host::new(config, program)?;
        host.stop = stop.clone();
        Self::listen(setup, host, &places.socket)
    }

    fn listen(setup: ProcessSetup, host: Host, socket: &Path) -> anyhow::Result<Self> {
        let descriptors = descriptors::raise_limit();
        let host = Arc::new(host);
        // The data directory's lock comes first: only its holder may replace a stale socket.
        let slot = Arc::new(supervisor::first(&host)?);
        host.disk.restore();
        host.spare.fill();
        let socket = Socket::bind(socket, host.config.grpc.socket_mode.0)?;
        if let Ok(engine) = slot.get() {
            engine.watch()?;
        }
        let (leave, leaving) = watch::channel(false);
        let kept = reports::keeping(&host, &slot)?;
        let scheduler = kept.scheduler.clone();
        let Served {
            health,
            teller,
            server,
        } = serve(
            &setup.runtime,
            &host,
            (&slot, kept),
            &socket,
            leaving,
            descriptors,
        )?;
        let supervisor = Supervisor::start(Arc::clone(&host), Arc::clone(&slot))?;
        let schedules = scheduler.map(|scheduler| scheduler.start()).transpose();
        let schedules = schedules.context("the thread of the scheduler cannot be started")?;
        let running = Self {
            host,
            slot,
            supervisor,
            schedules,
            setup,
            socket,
            leave,
            health,
            teller,
            server,
        };
        running.announce();
        Ok(running)
    }

    /// The engine that answers, if there is one now.
    pub fn engine(&self) -> Option<Arc<Engine>> {
        self.slot.get().ok()
    }

    fn announce(&self) {
        tracing::info!(
            "simdexd {} listens on {}, data in {}, watching {}",
            env!("CARGO_PKG_VERSION"),
            self.socket.path().display(),
            self.host.data_dir.display(),
            counted(self.host.config.roots.len() as u64, "root")
        );
    }

    /// Waits for a signal to stop, keeping systemd's watchdog quiet; returns the signal's name.
    pub fn wait(&mut self) -> anyhow::Result<&'static str> {
        let Self {
            setup: ProcessSetup { runtime, signals },
            teller,
            server,
            supervisor,
            ..
        } = self;
        runtime.block_on(async {
            tokio::select! {
                signal = signals.next() => signal.context("signals are no longer handled"),
                reason = supervisor.gave_up() => anyhow::bail!("{reason}; start simdexd again"),
                ended = server => {
                    ended.context("the server ended")?.context("the server ended")?;
                    anyhow::bail!("the server ended by itself");
                }
                _ = teller => anyhow::bail!("the task that reports health ended by itself"),
                never = notify::keep_watchdog() => match never {},
            }
        })
    }

    /// Releases what others may use, and nothing that a thread may hold for ever: requests under way and the
    /// index end with the process, which must end now.
    pub fn leave(self) {
        let Self {
            slot,
            schedules,
            setup,
            socket,
            ..
        } = self;
        drop(socket);
        std::mem::forget((slot, schedules, setup));
    }

    /// Stops listening, lets requests end, closes the index.
    pub fn drain(self) -> anyhow::Result<()> {
        let Self {
            host,
            slot,
            supervisor,
            schedules,
            setup:
                ProcessSetup {
                    runtime,
                    mut signals,
                },
            socket,
            leave,
            health,
            teller,
            mut server,
        } = self;
        let until = Instant::now() + GRACE;
        runtime.block_on(async {
            teller.abort();
            // Cancelled or ended: either way it reports nothing any more.
            let _ = teller.await;
            tell(&health, Health::Away).await;
            drop(socket);
            // There is no receiver only if the server has already ended.
            let _ = leave.send(true);
            tokio::select! {
                _ = &mut server => {}
                () = tokio::time::sleep_until(until.into()) => {}
                // A second signal means stop now.
                _ = signals.next() => {}
            }
            server.abort();
        });
        drop(schedules);
        // Dropping the remaining connections cancels the work behind them.
        runtime.shutdown_timeout(LAST_LOOK);
        close(&host, &slot, &supervisor)
    }
}

/// Ends the engine's threads and closes the index.
fn close(host: &Host, slot: &EngineSlot, supervisor: &Supervisor) -> anyhow::Result<()> {
    let idle = supervisor.stop(LAST_LOOK);
    let Some(engine) = slot.take("simdexd stops").filter(|_| idle) else {
        let alarm = host.alarms.gravest().map(|alarm| alarm.reason);
        let reason = alarm.unwrap_or_default();
        tracing::warn!(reason, "the index was being reopened and is not closed");
        return Ok(());
    };
    engine.stop();
    match Arc::try_unwrap(engine) {
        Ok(engine) => Ok(engine.close()?),
        Err(engine) => {
            tracing::warn!("a request or a share hangs; the index is committed, not closed");
            Ok(engine.writer().commit()?)
        }
    }
}

fn runtime(config: &Config) -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(ASYNC_THREADS)
        .max_blocking_threads(RequestRunner::threads(&config.grpc) + SPARE_THREADS)
        .thread_name("grpc")
        .enable_all()
        .build()
        .context("no thread could be started; raise the limit on processes")
}
