//! Every kind of answer, once: what each says about the index. Calibrations and evaluations of labels need more
//! documents, and are in `measured.rs`.

use std::ffi::OsStr;

use simdex_client::completeness::Completeness;
use simdex_client::wire::GroupKind;
use simdex_client::wire::get_document_request;
use simdex_client::wire::get_group_request;
use simdex_client::{FindKind, FindOptions, GroupOptions, Subject, path_bytes, wire};
use simdexd::config::Config;

use crate::daemon::{Daemon, prose};

/// A file that is known and settled before anything is asked.
pub(super) fn anchor() -> (&'static str, String) {
    ("anchor.txt", prose(9, 400))
}

/// An answer by its kind, and what it says.
type Told = (&'static str, Option<wire::Completeness>);

/// A place for kept reports beside the share.
pub(super) fn keep_reports(config: &mut Config) {
    let place = config.roots[0].path.with_file_name("reports");
    std::fs::create_dir(&place).unwrap();
    config.report_dir = Some(place.canonicalize().unwrap());
}

/// What every kind of answer says of the index. The daemon keeps reports, and has settled the [`anchor`].
pub(super) fn every_answer(daemon: &Daemon) -> Vec<Told> {
    let mut told = daemon.wait(of_questions(daemon));
    told.extend(daemon.wait(of_lists(daemon)));
    told.extend(daemon.wait(of_reports(daemon)));
    told
}

async fn of_questions(daemon: &Daemon) -> Vec<Told> {
    let client = &daemon.client;
    let options = FindOptions::default();
    let text = || Subject::Text(prose(1, 400));
    let side = |seed| wire::Side {
        source: Some(wire::side::Source::Text(prose(seed, 400))),
        ..wire::Side::default()
    };
    let anchor = daemon.path(anchor().0);
    let document = get_document_request::Source::Path(path_bytes(&anchor));
    let mut told = Vec::new();
    for (kind, name) in [
        (FindKind::Similar, "similar"),
        (FindKind::Containing, "containing"),
        (FindKind::Contained, "contained"),
        (FindKind::Related, "versions"),
    ] {
        let found = client.find(kind, text(), &options).await.unwrap();
        told.push((name, found.summary().await.unwrap().completeness));
    }
    let family = client.family(text(), &options).await.unwrap();
    let family = family.summary().await.unwrap().query.unwrap();
    let compared = client.compare_numbers(side(1), side(2)).await.unwrap();
    let request = wire::SamplePairsRequest::default();
    let sampled = client.sample_pairs(request).await.unwrap();
    let group = get_group_request::Source::Path(path_bytes(&anchor));
    told.extend([
        ("family", family.completeness),
        ("compare", compared.completeness),
        ("pairs to be labelled", sampled.completeness),
        ("group", client.group(group).await.unwrap().completeness),
        (
            "document",
            client.document(document, false).await.unwrap().completeness,
        ),
        ("file", client.describe(&anchor).await.unwrap().completeness),
    ]);
    told
}

async fn of_lists(daemon: &Daemon) -> Vec<Told> {
    let client = &daemon.client;
    let all = Vec::<u32>::new;
    let status = client.status().await.unwrap();
    let files = client.files(Vec::new(), all()).await.unwrap();
    let pairs = client.pairs(None, all()).await.unwrap();
    let folders = client.folder_copies(None, None, 0, all()).await.unwrap();
    let templates = client.templates(None, None, None, all()).await.unwrap();
    let mut told = vec![
        ("status", status.completeness),
        ("status' summary", status.summary.unwrap().completeness),
        ("files", files.summary().await.unwrap().completeness),
        ("pairs", pairs.summary().await.unwrap().completeness),
        ("folders", folders.summary().await.unwrap().completeness),
        ("templates", templates.summary().await.unwrap().completeness),
    ];
    for (kind, name) in [
        (GroupKind::Stars, "groups"),
        (GroupKind::Components, "components"),
        (GroupKind::Cores, "cores"),
    ] {
        let options = GroupOptions {
            kind,
            ..GroupOptions::default()
        };
        let groups = client.groups_of_kind(&options, all()).await.unwrap();
        told.push((name, groups.summary().await.unwrap().completeness));
    }
    told
}

async fn of_reports(daemon: &Daemon) -> Vec<Told> {
    let mut told = Vec::new();
    let kept = daemon.config.report_dir.as_ref().expect("they are kept");
    for (kind, streamed, name) in [
        ("", "report", "kept report"),
        ("duplicates", "question", "kept question"),
    ] {
        let options = || wire::ReportOptions {
            kind: kind.to_owned(),
            ..wire::ReportOptions::default()
        };
        let out = daemon.dir.path().join("report");
        let report = daemon.client.download_report(&out, None, options());
        told.push((streamed, report.await.unwrap().summary.completeness));
        told.push(("its manifest", of_manifest(&out)));
        let report = OsStr::new(name);
        let reply = daemon.client.keep_report(report, None, None, options());
        told.push((name, reply.await.unwrap().summary.unwrap().completeness));
        told.push(("a kept manifest", of_manifest(&kept.join(name))));
    }
    told
}

/// What the manifest of a report says; the report is removed.
fn of_manifest(report: &std::path::Path) -> Option<wire::Completeness> {
    let manifest = std::fs::read_to_string(report.join("manifest.json")).unwrap();
    std::fs::remove_dir_all(report).unwrap();
    let manifest: Completeness = serde_json::from_str(&manifest).unwrap();
    Some(manifest.into())
}
