//! A worker that lies: it answers with streams of the protocol, most of them mutated.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use simdex_extract::EXTRACTOR_VERSION;

use super::Mutator;
use crate::corpus::Random;

/// The target that this worker serves.
pub const TARGET: &str = "worker-protocol";
/// The hidden argument that makes a program this worker.
pub const ARGUMENT: &str = "lying-worker";
/// One answer in this many is valid, so that the daemon must continue to accept answers.
const TRUE: u64 = 8;
/// Longest frame it reads.
const FRAME: u32 = 1 << 20;

/// Serves requests from its standard input until it closes; `seed` is that of all lies.
pub fn lying_main(seed: u64) -> ExitCode {
    match serve(seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve(seed: u64) -> io::Result<()> {
    let mut stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    receive(&mut stream)?;
    let hello = json!({"extractor_version": EXTRACTOR_VERSION, "enforced": [], "missing": []});
    stream.write_all(&framed(&hello))?;
    let words = super::find(TARGET).map(|target| target.words.to_vec());
    let mutator = Mutator::new(Vec::new(), words.unwrap_or_default(), false);
    // A plain read takes the document's descriptor off the stream and drops it.
    while let Ok(request) = receive(&mut stream) {
        let nonce = request["nonce"].as_u64().unwrap_or(0);
        let mut random = Random::new(seed, nonce);
        let truth = answer(nonce, &mut random);
        if random.below(TRUE) == 0 {
            stream.write_all(&truth)?;
            continue;
        }
        stream.write_all(&mutator.bytes(truth, &mut random))?;
        match random.below(20) {
            // It leaves, it talks on, or it says no more and waits to be killed.
            0..16 => return Ok(()),
            16..19 => continue,
            _ => thread::sleep(Duration::from_secs(600)),
        }
    }
    Ok(())
}

/// A whole and true answer: members, a reply, its text.
fn answer(nonce: u64, random: &mut Random) -> Vec<u8> {
    let mut stream = Vec::new();
    for at in 0..random.below(4) {
        let unread = random.chance(0.3).then_some("damaged");
        let head = json!({
            "name": format!("folder/{at}.txt"), "role": "entry", "modified": 5, "unread": unread,
        });
        stream.extend(framed(&json!({"member": {"nonce": nonce, "head": head}})));
        if unread.is_none() {
            for _ in 0..random.below(3) {
                stream.extend(sized(b"bytes of a member"));
            }
            stream.extend(0_u32.to_le_bytes());
            stream.extend(framed(&json!({"cut": null})));
        }
    }
    let text = "text of the document ".repeat(random.below(20) as usize);
    let reply = json!({
        "nonce": nonce, "status": "text", "reason": null, "media_type": "text/plain",
        "engine": "lying 1", "warnings": ["a remark"], "facts": {"title": "a title", "pages": "2"},
        "text_bytes": text.len(), "last": false,
    });
    stream.extend(framed(&json!({"reply": reply})));
    stream.extend(text.bytes());
    stream
}

fn framed(message: &Value) -> Vec<u8> {
    sized(message.to_string().as_bytes())
}

fn sized(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

fn receive(stream: &mut UnixStream) -> io::Result<Value> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length).min(FRAME);
    let mut bytes = vec![0; length as usize];
    stream.read_exact(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}
