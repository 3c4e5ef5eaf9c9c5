//! What is only in roots that may not be seen appears nowhere.

use simdex_signature::{CanonicalText, Ratio, Rung, SchemeKind, ShingleSet, Window};

use super::bed::{Bed, account, file, pairs};
use super::candidates::ALL_KINDS;
use super::texts::Random;
use crate::{Fingerprints, QueryFingerprints, VisibleRoots};

#[test]
fn a_document_of_hidden_roots_appears_nowhere() {
    let (bed, mut random) = (Bed::memory(), Random::new(61));
    let (shown, hidden) = (random.words(60), random.words(60));
    let near = random.version(&shown, 1);
    bed.put("a/shown", &shown);
    bed.put("b/copy", &shown);
    bed.put("b/near", &near);
    bed.put("b/hidden", &hidden);
    bed.put("b/hidden-too", &hidden);
    bed.settle();
    for step in 0..2 {
        let view = VisibleRoots::Roots([file("a/").root].into());
        let (reader, own) = (bed.reader(), account(bed.index()));
        let id = |text: &str| bed.id(text).unwrap();
        for text in [&shown, &near, &hidden] {
            let query = ShingleSet::new(&CanonicalText::from_extracted(text), Window::DEFAULT);
            let asked = QueryFingerprints {
                scheme: SchemeKind::ModN,
                fingerprints: Fingerprints::All(&query),
                rung: Rung::ZERO,
            };
            for kind in ALL_KINDS {
                let found = reader.candidates().by_samples(asked, kind, &view, &own);
                let found = found.unwrap();
                assert!(found.found.iter().all(|c| c.document == id(&shown)));
                assert_eq!(found.found.is_empty(), text == &hidden);
            }
        }
        let mut paths = Vec::new();
        let mut visit = |file: crate::FileInfo| {
            paths.push(file.path);
            std::ops::ControlFlow::Continue(())
        };
        reader.files().visit(&view, &own, &mut visit).unwrap();
        assert_eq!(paths, [std::path::Path::new("/data/a/shown")]);
        let files = |text: &str| reader.files().of_document(id(text), &view).unwrap().len();
        assert_eq!((files(&shown), files(&hidden)), (1, 0));
        assert_eq!(bed.index().index.live_documents(&view), 1);
        for threshold in [0.3, 0.7] {
            let threshold = Ratio::new(threshold).unwrap();
            let found = reader.groups().of_view(&view, threshold, &own);
            assert!(found.unwrap().groups.is_empty());
            assert!(pairs(bed.index(), &view, threshold).is_empty());
        }
        if step == 0 {
            bed.index().writer.merge().unwrap();
        }
    }
}
