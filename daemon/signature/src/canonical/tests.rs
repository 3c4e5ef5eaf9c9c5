//! Canonical text: the definition by iterators as the oracle, all of Unicode, idempotence.

use super::*;
use proptest::prelude::*;

fn canonical(text: &str) -> String {
    CanonicalText::from_extracted(text).into_string()
}

/// The definition, without any fast path.
fn defined(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let seen: String = seen(line).collect();
        let runs = seen.split_inclusive(number_sign::is_number_sign);
        let spaced: String = runs
            .flat_map(|run| {
                let sign = run
                    .chars()
                    .last()
                    .filter(|&c| number_sign::is_number_sign(c));
                let own = run.trim_end_matches(number_sign::is_number_sign).chars();
                fold_and_normalise(own).chain(sign).collect::<Vec<_>>()
            })
            .map(|c| if is_space(c) { ' ' } else { c })
            .collect();
        let own = spaced.split(' ').filter(|word| !word.is_empty());
        let own = own.skip_while(|word| bullet::BULLETS.contains(word));
        words.extend(own.map(str::to_owned));
    }
    words.join(" ")
}

fn every_char() -> impl Iterator<Item = char> {
    '\0'..=char::MAX
}

/// Strings in which everything that composes, folds, decomposes or vanishes meets everything else.
fn tricky() -> impl Strategy<Value = String> {
    let pool = "aAeEsSkK  \t\n\n\n--*·–•●－‘”«−‑—10٣.:\u{37a}\u{a0}\u{ad}\u{200b}\u{200d}\u{feff}\u{300}\u{301}\u{308}\u{30c}\u{323}\
        \u{327}\u{345}\u{34f}ßẞǰςΣσΑαΐᾳᾼᾶῼιΙİıÅKéÉ\u{a8}ﬁﷺ각가\u{1100}\u{1161}\u{11a8}\
        \u{1160}\u{115f}か²½₁①㏠ガ\u{3099}\u{ff9e}ｶＡ漢\u{fe0f}यॉ\u{93c}\u{9c7}\u{9be}\u{fb1d}\u{f71}\u{f72}\u{fa1e}\0\u{85}\
        \u{2062}\u{202e}\u{202c}";
    let chars: Vec<char> = pool.chars().collect();
    let picked = prop_oneof![4 => prop::sample::select(chars), 1 => any::<char>()];
    prop::collection::vec(picked, 0..24).prop_map(|chars| chars.into_iter().collect())
}

/// Marks of several classes, some of which fold or decompose, and letters that compose with them.
fn long_runs() -> impl Strategy<Value = String> {
    let marks = "\u{301}\u{323}\u{345}\u{344}\u{308}\u{327}\u{3099}\u{ff9e}\u{5b0}\u{f73}\u{f79}\u{34f}\u{200d}\u{b4}";
    let marks: Vec<char> = marks.chars().collect();
    let run = prop::collection::vec(prop::sample::select(marks), 0..80);
    let letter = prop::sample::select("aeéǖᾳか漢 -•ι\u{ac00}\u{1100}".chars().collect::<Vec<_>>());
    prop::collection::vec((letter, run), 1..6).prop_map(|runs| {
        let text = runs
            .into_iter()
            .flat_map(|(letter, run)| std::iter::once(letter).chain(run));
        text.collect()
    })
}

#[test]
fn what_does_not_fit_is_cut_and_said() {
    for (text, most, kept, is_cut) in [
        ("abc def", 7, "abc def", false),
        ("abc def \n ", 7, "abc def", false),
        ("abc def", 6, "abc de", true),
        ("abc def", 4, "abc", true),
        ("abc def", 3, "abc", true),
        ("abc \n", 3, "abc", false),
        ("aéb", 2, "a", true),
        ("aéb", 3, "aé", true),
        ("a漢\u{301}b", 5, "a漢", true),
        ("ab", 0, "", true),
        (" \n", 0, "", false),
        ("x\n• y", 3, "x", true),
        // A bullet takes room until its line is read.
        ("x\n• y", 5, "x", true),
        ("x\n• y", 7, "x y", false),
    ] {
        let cut = CanonicalText::bounded(text, most);
        assert_eq!(
            (cut.as_str(), cut.is_cut()),
            (kept, is_cut),
            "{text:?} in {most}"
        );
    }
}

#[test]
fn one_character_that_becomes_eighteen_does_not_pass_the_bound() {
    let text = "\u{fdfa}".repeat(1_000);
    let cut = CanonicalText::bounded(&text, 10_000);
    assert!(cut.is_cut());
    assert!((9_990..=10_000).contains(&cut.as_bytes().len()));
    let whole = CanonicalText::from_extracted(&text);
    assert!(!whole.is_cut());
    assert_eq!(whole.chars(), 18_000);
    assert!(whole.as_str().starts_with(cut.as_str()));
}

#[test]
fn a_run_of_marks_is_kept_and_takes_time_by_its_length_alone() {
    let text = format!("a{}", "\u{301}\u{323}".repeat(200_000));
    let canonical = CanonicalText::from_extracted(&text);
    // ạ with an acute, 13 acutes and 15 dots sorted below them, and so on: every mark is there.
    assert_eq!(canonical.as_str().nfd().count(), 400_001);
}

#[test]
fn what_is_invisible_and_changes_a_reading_stays() {
    for (with, without) in [
        ("3\u{2062}5", "35"),
        ("a\u{2063}b", "ab"),
        ("2\u{2064}1", "21"),
        ("f\u{2061}a", "fa"),
        ("\u{202e}123\u{202c}", "123"),
        ("\u{202e}12\u{202c}3", "\u{202e}123\u{202c}"),
        ("\u{202d}אב\u{202c}", "אב"),
    ] {
        assert_eq!(canonical(with), with);
        assert_ne!(canonical(with), canonical(without));
    }
    // Embeddings, isolates and marks leave the order of reading as it is.
    for layout in [
        "\u{202a}", "\u{202b}", "\u{2066}", "\u{2069}", "\u{200f}", "\u{2060}", "\u{ad}",
    ] {
        assert_eq!(canonical(&format!("5{layout}-3")), "5-3");
    }
}

#[test]
fn every_character_folds_to_characters_that_stay() {
    for c in every_char() {
        let changed =
            std::iter::once(c).filter(|&c| !is_ignorable(c) && !number_sign::is_number_sign(c));
        for d in fold_and_normalise(changed).nfd() {
            let one = || std::iter::once(d);
            assert!(
                one().default_case_fold().eq(one()),
                "{c:?} gives {d:?}, which folds"
            );
            assert!(
                one().nfkd().eq(one()),
                "{c:?} gives {d:?}, which decomposes"
            );
            assert!(!is_ignorable(d), "{c:?} gives {d:?}, which is ignorable");
        }
    }
}

#[test]
fn every_character_is_idempotent_and_takes_the_same_form_on_both_paths() {
    for c in every_char() {
        for text in [
            c.to_string(),
            format!("x{c}"),
            format!("{c}\u{301}"),
            format!("é{c}y"),
            format!("{c} y"),
            format!("-{c}y"),
            format!("- {c}"),
            format!("x\n{c}\n- y\n– z"),
            format!("x\n{c} y\n\n{c} - z"),
        ] {
            let once = canonical(&text);
            assert_eq!(once, defined(&text), "{text:?}");
            assert_eq!(canonical(&once), once, "{text:?}");
        }
    }
}

#[test]
fn ranges_taken_as_their_own_form_are_derived_so() {
    for c in every_char().skip(simple::TABLE_END) {
        if let Some(mapped) = simple::map(c) {
            assert_eq!(simple::derive(c), Some(mapped), "{c:?}");
        }
    }
}

#[test]
fn copies_that_differ_in_form_only_are_equal() {
    let pairs = [
        ("Straße", "STRASSE"),
        ("ﬁn", "FIN"),
        ("ΟΔΟΣ", "οδος"),
        ("e\u{301}t\u{e9}", "ÉTÉ"),
        ("co\u{ad}operate", "cooperate"),
        ("\u{feff}zero\u{200b}width", "zerowidth"),
        (" a\r\n\tb\u{a0}\u{2003}c\0 ", "a b c"),
        ("e\u{ad}\u{301}", "é"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("１２𝟑", "123"),
        ("“It’s” – 5", "\"it's\" - 5"),
    ];
    for (a, b) in pairs {
        assert_eq!(canonical(a), canonical(b));
    }
    assert_eq!(canonical(" a\r\n\tb\u{a0}\u{2003}c\0 "), "a b c");
    assert_eq!(canonical(" \u{200b}\n "), "");
}

#[test]
fn bullets_at_the_beginning_of_a_line_part_no_copies() {
    let list = "The list:\nOne\nTwo, too\n2. end";
    for shown in [
        "The list:\n  • One\n  ◦\tTwo, too\n2. end",
        "The list:\n•\u{a0}One\n▪\u{200b} \nTwo, too\n• ▪ 2. end\n•",
        "‣ The list:\n\n\n◦ One\n\u{200b}\n➢ Two, too\n \u{feff}\t\n► 2. end",
    ] {
        assert_eq!(canonical(shown), canonical(list), "{shown:?}");
    }
    for kept in ["a • b", "•a", "•• a", "1. • a"] {
        assert_eq!(canonical(kept), kept);
    }
    assert_eq!(canonical("•\n◦\n"), "");
}

#[test]
fn signs_that_can_change_a_reading_stay_wherever_they_stand() {
    for text in [
        "- $100,000",
        "-1",
        "- x",
        "* 3",
        "* see note",
        "*a*",
        "· 2",
        "∙ y",
        "□ yes",
        "■ no",
        "○ agree",
        "● disagree",
        "◆ a",
        "◇ b",
        "— a",
        "o b",
        "- - 1",
        "+ 2",
        "⁃ 5",
        "10⁶",
        "x² + y₁",
        "5¹",
        "1½",
        "3① a",
        "⁺5",
        "2ⁿ",
        // Of the private use area: a square and an arrow in Wingdings, a club and a negation in Symbol; and a clock in
        // Wingdings, a bullet in Symbol.
        "\u{f0a7} a",
        "\u{f0d8} p",
        "\u{f0b7} a",
    ] {
        for before in [
            "",
            "total:\n",
            "total.\n",
            "a list\n\n",
            "• first\n",
            "no stop\n",
        ] {
            let with = canonical(&format!("{before}{text}"));
            assert!(with.ends_with(text), "{before:?} {text:?}: {with:?}");
        }
    }
    for dash in ["– 5", "‐ 5", "− 5", "‒ 5", "‑ 5"] {
        assert_eq!(canonical(&format!("total:\n{dash}")), "total: - 5");
    }
    assert_ne!(
        canonical("Balance:\n- $100,000"),
        canonical("Balance:\n$100,000")
    );
}

#[test]
fn a_sentence_is_the_same_text_wherever_its_lines_break() {
    for sentence in [
        "Er kam – wie immer – zu spät.",
        "a factor 2 * x * y: - a well - or not so well - known one; so - be it",
        "one item – of a list – of * signs",
    ] {
        let whole = canonical(sentence);
        for (at, _) in sentence.match_indices(' ') {
            let broken = format!("{}\n{}", &sentence[..at], &sentence[at + 1..]);
            assert_eq!(canonical(&broken), whole, "{broken:?}");
        }
    }
}

#[test]
fn characters_are_counted_and_the_hash_is_of_the_bytes() {
    let text = CanonicalText::from_extracted("ÉTÉ");
    assert_eq!(text.chars(), 3);
    assert_eq!(text.hash(), *blake3::hash("été".as_bytes()).as_bytes());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn canonical_text_is_idempotent(text in tricky()) {
        let once = canonical(&text);
        prop_assert_eq!(canonical(&once), once);
    }

    #[test]
    fn the_fast_path_agrees_with_the_definition(text in tricky()) {
        prop_assert_eq!(canonical(&text), defined(&text));
    }

    #[test]
    fn runs_of_marks_without_end_are_idempotent(text in long_runs()) {
        let once = canonical(&text);
        prop_assert_eq!(canonical(&once), once);
    }

    #[test]
    fn runs_of_thirty_marks_are_in_the_definition(
        marks in prop::collection::vec(prop::sample::select(vec!['\u{301}', '\u{323}', '\u{345}', '\u{3099}']), 0..=30),
    ) {
        let text: String = std::iter::once('e').chain(marks).chain("x".chars()).collect();
        prop_assert_eq!(canonical(&text), defined(&text));
    }

    #[test]
    fn a_bound_keeps_the_beginning(text in prop_oneof![tricky(), long_runs()], most in 0usize..60) {
        let whole = canonical(&text);
        let cut = CanonicalText::bounded(&text, most);
        prop_assert!(cut.as_bytes().len() <= most);
        if cut.is_cut() {
            prop_assert!(whole.starts_with(cut.as_str()), "{:?} of {:?}", cut.as_str(), whole);
        } else {
            prop_assert_eq!(cut.as_str(), &whole);
        }
    }

    #[test]
    fn what_fits_is_not_cut_and_only_the_last_character_is_missed(text in "[a-z 漢é\n]{0,60}", most in 0usize..60) {
        let whole = canonical(&text);
        let cut = CanonicalText::bounded(&text, most);
        prop_assert_eq!(cut.is_cut(), whole.len() > most);
        let fits = whole.floor_char_boundary(most);
        prop_assert_eq!(cut.as_str(), whole[..fits].trim_end());
    }

    #[test]
    fn ascii_agrees_with_the_definition(text in "[ -~\t\n\r]{0,60}") {
        prop_assert_eq!(canonical(&text), defined(&text));
    }
}
