//! A client in another language, generated from `proto/` alone: if Python has grpcio and
//! grpcio-tools (`pip install grpcio grpcio-tools`), it queries a live daemon over its Unix socket.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use simdex_tests::sandbox::Sandbox;

/// Runs Python; what it prints.
fn python(command: &mut Command) -> Result<String> {
    let output = command.output().context("python3 does not run")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} failed: {said}");
    Ok(String::from_utf8(output.stdout)?)
}

/// Generates the client into a directory.
fn generate(into: &Path) -> Result<()> {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto");
    let option = |name: &str, value: &Path| format!("--{name}={}", value.display());
    let sources = ["admin", "similarity", "types"];
    let sources = sources.map(|name| proto.join(format!("simdex/v1/{name}.proto")));
    let mut command = Command::new("python3");
    command
        .args(["-m", "grpc_tools.protoc"])
        .arg(option("proto_path", &proto));
    command
        .arg(option("python_out", into))
        .arg(option("grpc_python_out", into))
        .args(sources);
    python(&mut command).map(drop)
}

#[test]
fn a_python_client_generated_from_the_contract_gets_answers() -> Result<()> {
    if let Err(reason) = python(Command::new("python3").args(["-c", "import grpc, grpc_tools"])) {
        eprintln!("skipped, Python has no grpcio and grpcio-tools: {reason:#}");
        return Ok(());
    }
    let sandbox = Sandbox::new()?;
    let paragraph = |from: usize| {
        let words = (from..from + 300).map(|n| format!("word{}", n * n % 7_919));
        words.collect::<Vec<_>>().join(" ")
    };
    let (first, second) = (paragraph(0), paragraph(900));
    let old = sandbox.write("old.txt", &first)?;
    let new = sandbox.write("new.txt", format!("{first} and a last word"))?;
    let both = sandbox.write("both.txt", format!("{first}\n{second}"))?;
    sandbox.write("other.txt", paragraph(2_000))?;
    let daemon = sandbox.serve().start()?;

    let client = sandbox.beside("client");
    std::fs::create_dir(&client)?;
    generate(&client)?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/queries.py");
    let mut asking = Command::new("python3");
    asking
        .env("PYTHONPATH", &client)
        .arg(script)
        .arg(daemon.socket())
        .arg(&old);
    let answers: Value = serde_json::from_str(&python(&mut asking)?)?;

    let paths = |question: &str| {
        let found = answers[question].as_array().into_iter().flatten();
        found
            .filter_map(|hit| hit["path"].as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let name = |path: &Path| path.to_string_lossy().into_owned();
    ensure!(paths("similar") == [name(&new), name(&both)], "{answers}");
    ensure!(
        paths("similar_to_upload").contains(&name(&old)),
        "{answers}"
    );
    ensure!(
        paths("containing") == [name(&both), name(&new)],
        "{answers}"
    );
    ensure!(paths("versions").contains(&name(&new)), "{answers}");
    ensure!(answers["similar"][0]["verified"] == true, "{answers}");
    ensure!(
        answers["health"] == "SERVING" && answers["unknown_file"] == "NOT_FOUND",
        "{answers}"
    );
    Ok(())
}
