//! Compiles `simdex/v1/*.proto` with protox, so that no `protoc` binary is needed.

use std::error::Error;

const PROTOS: [&str; 4] = [
    "simdex/v1/types.proto",
    "simdex/v1/similarity.proto",
    "simdex/v1/admin.proto",
    "simdex/v1/judging.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    for proto in PROTOS {
        println!("cargo:rerun-if-changed={proto}");
    }
    let descriptors = protox::compile(PROTOS, ["."])?;
    // Reflection serves the descriptors as they were compiled.
    let out = std::path::PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(
        out.join("simdex_v1.bin"),
        prost::Message::encode_to_vec(&descriptors),
    )?;
    tonic_prost_build::configure()
        .bytes(".simdex.v1.FindRequest.chunk")
        .compile_fds(descriptors)?;
    Ok(())
}
