//! What is measured on many documents, calibrations and labels: what each answer says of the index.

use simdex_client::wire::{JudgedClass, get_document_request};
use simdex_client::{path_bytes, wire};

use super::{Gate, Held, Opened, await_queued, pending, told};
use crate::daemon::{Daemon, prose};

/// Enough families for folds, and enough pairs of versions for a calibration.
const FAMILIES: u64 = 30;

/// Eight versions of a text in each family, and a text that resembles none.
fn share() -> Vec<(String, String)> {
    let family = |number: u64| {
        let text = prose(100 + number, 200);
        let versions = (0..8).map(move |version| {
            let name = format!("{number}-{version}.txt");
            (name, format!("{text} {}", prose(200 + number, version)))
        });
        let alone = (format!("{number}-alone.txt"), prose(300 + number, 200));
        versions.chain([alone])
    };
    (0..FAMILIES).flat_map(family).collect()
}

/// A version of each family, and an unrelated pair.
fn labels(daemon: &Daemon) -> Vec<wire::Label> {
    let labelled = |name: String| {
        let path = path_bytes(&daemon.path(&name));
        let source = get_document_request::Source::Path(path.clone());
        let known = daemon.wait(daemon.client.document(source, false)).unwrap();
        let document = known.document;
        Some(wire::LabelledFile { path, document })
    };
    let label = |number: u64, other: &str, verdict: JudgedClass| wire::Label {
        a: labelled(format!("{number}-0.txt")),
        b: labelled(format!("{number}-{other}.txt")),
        verdict: verdict.into(),
        rater: "ada".to_owned(),
    };
    let of_family = |number| {
        [
            label(number, "1", JudgedClass::Version),
            label(number, "alone", JudgedClass::Unrelated),
        ]
    };
    (0..FAMILIES).flat_map(of_family).collect()
}

fn measured(
    daemon: &Daemon,
    labels: &[wire::Label],
) -> [(&'static str, Option<wire::Completeness>); 3] {
    let client = &daemon.client;
    let evaluated = wire::EvaluateLabelsRequest {
        labels: labels.to_vec(),
        ..wire::EvaluateLabelsRequest::default()
    };
    let trained = wire::TrainModelRequest {
        labels: labels.to_vec(),
        dry_run: true,
        ..wire::TrainModelRequest::default()
    };
    daemon.wait(async {
        let calibrated = client.calibrate(None, None, Vec::new()).await.unwrap();
        let evaluated = client.evaluate_labels(evaluated).await.unwrap();
        let trained = client.train_model(trained).await.unwrap();
        [
            ("calibrate", calibrated.completeness),
            ("evaluate", evaluated.completeness),
            ("train", trained.completeness),
        ]
    })
}

#[test]
fn calibrations_and_what_is_made_of_labels_say_what_the_index_lacks() {
    let gate = std::sync::Arc::<Gate>::default();
    let asked = std::sync::Arc::clone(&gate);
    let before = move |operation| {
        asked.pass(operation);
        Ok(())
    };
    let daemon = Daemon::hooked(std::sync::Arc::new(before));
    let _opened = Opened(&gate);
    for (name, text) in share() {
        std::fs::write(daemon.path(&name), text).unwrap();
    }
    daemon.sync();
    let labels = labels(&daemon);
    for (what, said) in measured(&daemon, &labels) {
        assert!(told(&said).complete, "{what}");
    }
    gate.close(Held::Writer);
    std::fs::write(daemon.path("late.txt"), prose(9, 400)).unwrap();
    daemon.wait(daemon.client.rescan(&[])).unwrap();
    await_queued(&daemon, 1);
    for (what, said) in measured(&daemon, &labels) {
        assert!(pending(&said).queued >= 1, "{what}");
    }
}
