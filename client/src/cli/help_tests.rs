//! Checks the defaults that each flag's help states.

use clap::{Arg, Command};
use simdex_client::defaults;

use super::{FIND_VERBS, command};

/// Defaults that are not values of the contract: the daemon's own, the user's, or no limit at all.
const IN_WORDS: [&str; 6] = [
    "$SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run",
    "$USER",
    "all",
    "as the index does",
    "the daemon's",
    "those of the index",
];

/// The default that a flag's own help text states. The part that clap adds is right by construction.
fn stated(flag: &Arg) -> Option<String> {
    let help = flag.get_long_help().or(flag.get_help())?.to_string();
    let (_, default) = help.split_once("[default: ")?;
    let (default, _) = default.split_once(']')?;
    Some(default.to_owned())
}

/// The defaults that a command's help states, each keyed by verb and flag.
fn defaults_of(command: &Command, verb: &str) -> Vec<(String, String)> {
    let flags = command.get_arguments();
    let own = flags.filter_map(|flag| {
        let name = format!("{verb}--{}", flag.get_long()?);
        Some((name, stated(flag)?))
    });
    let below = command
        .get_subcommands()
        .flat_map(|below| defaults_of(below, &format!("{verb}{} ", below.get_name())));
    own.chain(below).collect()
}

/// The thresholds by which a relation is named, of each verb that names one.
fn of_relations() -> impl Iterator<Item = (String, String)> {
    let relating = FIND_VERBS
        .map(|(verb, _)| verb)
        .into_iter()
        .chain(["compare"]);
    relating.flat_map(|verb| {
        [
            ("relation-threshold", "the daemon's threshold"),
            ("containment-threshold", "--relation-threshold"),
        ]
        .map(|(flag, value)| (format!("{verb} --{flag}"), value.to_owned()))
    })
}

#[test]
fn help_names_the_defaults_that_hold() {
    let limit = |verb| match verb {
        "versions" => defaults::VERSIONS,
        _ => defaults::LIMIT,
    };
    let of_finding = FIND_VERBS.into_iter().flat_map(|(verb, least)| {
        let flags = [
            ("limit", limit(verb).to_string()),
            ("threshold", least.to_string()),
        ];
        flags.map(|(flag, value)| (format!("{verb} --{flag}"), value))
    });
    let of_report = format!(
        "the daemon's, or {} with --kind leak or stale-versions",
        defaults::CONTAINMENT
    );
    let of_containment = "--threshold; with --kind stale-versions, the daemon's threshold";
    assert_eq!(defaults::CONTAINMENT, defaults::FAMILY);
    let others = [
        ("calibrate --precision", defaults::PRECISION.to_string()),
        ("folders --files", defaults::FOLDER_FILES.to_string()),
        ("folders --share", defaults::FOLDER_SHARE.to_string()),
        ("groups --common", defaults::COMMON.to_string()),
        ("groups --deadline", defaults::MINING_SECONDS.to_string()),
        ("groups --judge", "first".to_owned()),
        ("judge label --count", defaults::SAMPLED_PAIRS.to_string()),
        // 0 means the default for a field of the contract.
        ("judge label --seed", u64::default().to_string()),
        ("judge train --name", defaults::MODEL_NAME.to_owned()),
        ("pairs --judge", "first".to_owned()),
        ("report --common", defaults::COMMON.to_string()),
        ("report --containment", of_containment.to_owned()),
        ("report --deadline", defaults::MINING_SECONDS.to_string()),
        ("report --judge", "on with --kind groups".to_owned()),
        ("report --threshold", of_report),
        ("templates --limit", defaults::TEMPLATES.to_string()),
        (
            "templates --min-documents",
            defaults::TEMPLATE_DOCUMENTS.to_string(),
        ),
    ];
    let others = others.map(|(flag, value)| (flag.to_owned(), value));
    let mut expected: Vec<_> = of_finding.chain(of_relations()).chain(others).collect();
    let mut named = defaults_of(&command(), "");
    named.retain(|(_, default)| !IN_WORDS.contains(&default.as_str()));
    named.sort();
    expected.sort();
    assert_eq!(named, expected);
}

#[test]
fn help_says_what_signs_and_columns_mean() {
    let mut command = command();
    for (verb, meaning) in [
        ("versions", "◉ marks the version of FILE"),
        (
            "folders",
            "COPIES counts the folders that hold exactly the same files",
        ),
    ] {
        let verb = command.find_subcommand_mut(verb).expect("a verb");
        let help = verb.render_long_help().to_string();
        let words: Vec<_> = help.split_whitespace().collect();
        assert!(words.join(" ").contains(meaning), "{help}");
    }
}
