//! What a config may contain, and the errors for what it may not.

use super::*;

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(text)
}

fn refused(text: &str) -> String {
    match parse(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(reason) => reason,
    }
}

#[test]
fn an_empty_config_is_all_defaults() {
    let config = parse("").unwrap();
    assert_eq!(
        (config.signature.threshold, config.workers() > 0),
        (0.8, true)
    );
    Config::default().check().unwrap();
}

#[test]
fn unknown_keys_and_overlapping_roots_are_refused() {
    assert!(refused("thresold = 1").contains("thresold"));
    assert!(refused("[extract]\nmemory_mb = 1").contains("memory_mb"));
    assert!(refused("roots = [{path = \"a\"}]").contains("absolute"));
    let overlap = refused("roots = [{path = \"/a\"}, {path = \"/a/b\"}]");
    assert!(
        overlap.contains("/a/b") && overlap.contains("overlap"),
        "{overlap}"
    );
}

#[test]
fn a_root_has_one_spelling() {
    for twice in ["/a/", "//a", "/a/.", "/./a", "/a/b/", "/a/./b", "/"] {
        let text = format!("roots = [{{path = \"/a\"}}, {{path = {twice:?}}}]");
        assert!(refused(&text).contains("overlap"), "{twice}");
    }
    assert!(refused("roots = [{path = \"/b/../a\"}]").contains(".."));
    assert!(refused("roots = [{path = \"/a\\u0000b\"}]").contains("NUL"));
    let config = parse("roots = [{path = \"//srv/./share/\"}]").unwrap();
    assert_eq!(config.roots[0].path.as_os_str(), "/srv/share");
}

/// Values at the ends of each range are accepted; beyond them, and where a shift would overflow,
/// the error states key, value and range.
#[test]
fn a_number_outside_its_range_is_refused_by_key_value_and_range() {
    for setting in Config::default().settings() {
        let Some(range) = &setting.range else {
            continue;
        };
        let (least, greatest) = match range {
            Range::Whole(range) | Range::Octal(range) => (*range.start(), *range.end()),
            Range::Ratio(_) => continue,
        };
        for outside in [
            least - 1,
            greatest + 1,
            1 << 44,
            1 << 60,
            i64::MAX,
            i64::MIN,
        ] {
            let (section, key) = (setting.section, setting.key);
            let said = refused(&format!("[{section}]\n{key} = {outside}"));
            let value = match range {
                Range::Octal(_) => format!("{outside:#o}"),
                _ => outside.to_string(),
            };
            for part in [&format!("{section}.{key}"), &value, &range.to_string()] {
                assert!(said.contains(part), "{said} does not say {part}");
            }
        }
        for inside in [least, greatest] {
            let said = parse(&format!(
                "[{}]\n{} = {inside}",
                setting.section, setting.key
            ));
            // A value at the end of its range may still contradict another key.
            let said = said.err().unwrap_or_default();
            assert!(!said.contains("it must be"), "{said}");
        }
    }
    for wrong in ["1.5", "0", "nan", "inf", "-1"] {
        let said = refused(&format!("[signature]\nthreshold = {wrong}"));
        assert!(said.contains("0.05 to 1"), "{said}");
    }
}

#[test]
fn every_number_has_a_range_that_holds_its_default() {
    for setting in Config::default().settings() {
        let number = matches!(
            setting.value,
            Value::Whole(_) | Value::Octal(_) | Value::Ratio(_)
        );
        assert_eq!(setting.range.is_some(), number, "{setting:?}");
        assert_eq!(setting.refusal(&setting.value), None);
        let size = setting.key.ends_with("_mib");
        if let (true, Some(Range::Whole(range))) = (size, &setting.range) {
            assert!(*range.end() <= i64::from(u32::MAX), "{}", setting.key);
        }
    }
}

/// A config that did not come from a file is checked against the same table.
#[test]
fn a_config_made_in_memory_is_checked_too() {
    let mut config = Config::default();
    config.extract.memory_mib = Mebibytes(0);
    assert!(
        config
            .check()
            .unwrap_err()
            .contains("extract.memory_mib is 0")
    );
    config = Config::default();
    config.grpc.socket_mode = Permissions(0o4777);
    let said = config.check().unwrap_err();
    assert!(
        said.contains("0o4777") && said.contains("0o600 to 0o777"),
        "{said}"
    );
}

#[test]
fn keys_that_contradict_each_other_are_both_named() {
    for (text, less, more) in [
        (
            "[extract]\ninput_mib = 300\nraw_mib = 301",
            "raw_mib",
            "input_mib",
        ),
        (
            "[extract]\ncontainer_mib = 100",
            "container_entry_mib",
            "container_mib",
        ),
        ("[extract]\ninput_mib = 100", "max_upload_mib", "input_mib"),
        ("[extract]\ninput_mib = 5000", "input_mib", "spool_mib"),
        (
            "[grpc]\nmax_message_mib = 129",
            "max_message_mib",
            "max_unread_mib",
        ),
        (
            "[grpc]\nmax_uploads_mib = 511",
            "max_upload_mib",
            "max_uploads_mib",
        ),
        ("[extract]\nspool_mib = 2047", "container_mib", "spool_mib"),
        (
            "[watch]\ndebounce_ms = 5001",
            "debounce_ms",
            "max_delay_seconds",
        ),
    ] {
        let said = refused(text);
        assert!(said.contains(less) && said.contains(more), "{said}");
    }
}

#[test]
fn the_schemes_of_the_index_are_a_list_with_mod_n() {
    use simdex_signature::SchemeKind;
    let schemes = |text: &str| parse(text).unwrap().signature.schemes;
    let default = SchemeList::of(&[SchemeKind::ModN, SchemeKind::BswN]);
    assert_eq!(schemes(""), default);
    let more =
        schemes("[signature]\nschemes = [\"super_shingles\", \"sketch_n\", \"min_n\", \"mod_n\"]");
    let named: Vec<_> = more.schemes().of_texts().map(SchemeKind::name).collect();
    assert_eq!(named, ["mod_n", "min_n", "sketch_n", "super_shingles"]);
    for (list, part) in [
        (
            "[]",
            "does not name mod_n, by which groups are found; add it",
        ),
        ("[\"bsw_n\"]", "does not name mod_n"),
        ("[\"mod_n\", \"mod_n\"]", "names mod_n twice"),
        (
            "[\"mod_n\", \"modn\"]",
            "names \"modn\"; it may name mod_n, bsw_n, min_n, sketch_n and super_shingles",
        ),
        ("true", "schemes"),
    ] {
        let said = refused(&format!("[signature]\nschemes = {list}"));
        assert!(said.contains(part), "{said}");
    }
    for (old, new) in [
        (
            "true",
            "write schemes = [\"mod_n\", \"bsw_n\"] in its place",
        ),
        ("false", "write schemes = [\"mod_n\"] in its place"),
    ] {
        let said = refused(&format!("[signature]\nbsw_n = {old}"));
        assert!(
            said.contains(&format!(
                "signature.bsw_n = {old} is no key any more; {new}"
            )),
            "{said}"
        );
    }
}

#[test]
fn languages_are_names_and_no_options() {
    for wrong in ["", "--help", "eng deu", "../eng", "eng;x"] {
        let said = refused(&format!("[outside]\nocr_languages = {wrong:?}"));
        assert!(said.contains("ocr_languages"), "{said}");
    }
    parse("[outside]\nocr_languages = \"eng+chi_sim+script/Latin\"").unwrap();
}

/// A text of the greatest configurable length fits into one block of a segment.
#[test]
fn no_text_is_longer_than_a_segment_takes() {
    let settings = Config::default().settings();
    let text = settings.iter().find(|setting| setting.key == "text_mib");
    let Some(Range::Whole(range)) = text.and_then(|text| text.range.clone()) else {
        panic!("text_mib has no range");
    };
    let longest = Mebibytes(u32::try_from(*range.end()).unwrap()).length();
    assert!(longest < simdex_index::text::MAX_TEXT);
}

#[test]
fn the_sample_config_is_written_from_the_table() {
    let packaged = include_str!("../../../packaging/simdexd.toml");
    assert!(
        packaged == sample(),
        "packaging/simdexd.toml is not what `cargo run --bin simdexd -- sample-config` prints"
    );
    let config = parse(packaged).unwrap();
    let values = |config: &Config| -> Vec<Value> {
        let settings = config.settings();
        settings.into_iter().map(|setting| setting.value).collect()
    };
    assert_eq!(values(&config), values(&Config::default()));
    for key in [
        "data_dir",
        "socket",
        "report_dir",
        "template_lines",
        "path",
        "mode",
    ] {
        assert!(packaged.contains(&format!("\n# {key} = ")), "{key}");
    }
}

#[test]
fn roots_take_a_mode() {
    let config = parse("roots = [{path = \"/a\", mode = \"poll\"}, {path = \"/ab\"}]").unwrap();
    assert_eq!(config.roots[0].mode, RootMode::Poll);
    assert_eq!(config.roots[1].mode, RootMode::Auto);
}

#[test]
fn a_config_is_read_to_a_bound() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "#".repeat((1 << 20) + 1)).unwrap();
    let said = Config::load(file.path()).unwrap_err().to_string();
    assert!(said.contains("longer than"), "{said}");
}

#[test]
fn a_schedule_that_cannot_be_is_refused_by_name() {
    let with = |head: &str, rest: &str| {
        let text = format!(
            "{head}\nroots = [{{path = \"/a\"}}]\n[[schedules]]\nname = \"weekly\"\ncron = \"0 2 * * mon\"\n{rest}"
        );
        parse(&text)
    };
    let head = "report_dir = \"/r\"";
    let config = with(head, "kind = \"leak\"\nprotected = [\"/a\"]").unwrap();
    assert_eq!(config.schedules[0].keep, 12);
    let refused = [
        (with("", ""), "there are schedules and no report_dir"),
        (
            with(head, "roots = [\"/b\"]"),
            "is of /b, which is none of the roots",
        ),
        (
            with(head, "kind = \"leak\"\nprotected = [\"/b\"]"),
            "protects /b, which is none of the roots",
        ),
        (
            with(
                head,
                "[[schedules]]\nname = \"weekly\"\ncron = \"* * * * *\"",
            ),
            "is defined twice",
        ),
        (with(head, "often = true"), "unknown field"),
    ];
    for (config, part) in refused {
        let said = config.unwrap_err();
        assert!(said.contains(part), "{said}");
    }
}
