//! The program that is run after a report.
//!
//! It is given by its absolute path in the config, which only the administrator writes, and run with fixed arguments
//! and the path of the manifest, without a shell. It has no input, no environment but a PATH, a time limit, and a
//! process group of its own, which is killed as a whole.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use simdex_extract::{group_of, kill_group};
use simdex_index::Cancel;

/// Time to sleep between two checks of the program.
const LOOK: Duration = Duration::from_millis(50);

/// Runs it to its end; the error says how else it ended.
pub(super) fn run(
    command: &[String],
    manifest: &Path,
    time: Duration,
    cancel: &Cancel,
) -> Result<(), String> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(());
    };
    let failed = |error: io::Error| format!("the command {program} cannot be run ({error})");
    let mut child = Command::new(program)
        .args(arguments)
        .arg(manifest)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let until = Instant::now() + time;
    loop {
        match child.try_wait().map_err(failed)? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("the command {program} ended with {status}")),
            None if cancel.check().is_err() => {
                kill(&mut child);
                return Err(format!(
                    "the command {program} was killed: the daemon stops"
                ));
            }
            None if Instant::now() >= until => {
                kill(&mut child);
                let seconds = time.as_secs();
                return Err(format!(
                    "the command {program} was killed after {seconds} s"
                ));
            }
            None => std::thread::sleep(LOOK),
        }
    }
}

/// Kills it with everything that it started, and waits for it.
fn kill(child: &mut Child) {
    group_of(child).into_iter().for_each(kill_group);
    let _ = child.wait();
}
