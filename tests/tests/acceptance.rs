//! The acceptance checks as tests: one each, so that they run side by side.
//!
//! Those that need real documents pass without them and say so. Figures: `cargo test -p
//! simdex-tests --test acceptance -- --nocapture`, or `--bin acceptance`.

use anyhow::{Context, Result};
use simdex_tests::acceptance::{CHECKS, NamedTests, Verdict, find};
use simdex_tests::figure::Figures;
use simdex_tests::sandbox::corpora;

#[expect(
    clippy::print_stdout,
    reason = "shown where a test fails, or with --nocapture"
)]
fn holds(name: &str) -> Result<()> {
    let mut figures = Vec::new();
    let check = find(name).context("no check of this name")?;
    let verdict = check.run(
        corpora().as_deref(),
        NamedTests::Exist,
        &mut Figures::new(&mut figures, false),
    );
    print!("# {name}\n{}", String::from_utf8_lossy(&figures));
    if let Verdict::Skipped(reason) = verdict? {
        println!("{name} skipped: {reason}");
    }
    Ok(())
}

macro_rules! checks {
    ($($test:ident = $name:literal),* $(,)?) => {
        $(#[test] fn $test() -> Result<()> { holds($name) })*

        #[test]
        fn every_check_is_a_test() {
            let tested = [$($name),*];
            let all: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
            assert_eq!(tested[..], all[..]);
        }
    };
}

checks! {
    every_file_has_a_state_and_the_states_add_up = "everything",
    copies_in_other_formats_come_first = "crossformat",
    the_labelled_pairs_and_no_other_are_found = "parkr",
    consecutive_versions_are_found_with_exact_numbers = "versions",
    histories_are_found_in_order = "families",
    a_generated_history_is_found_across_a_new_name = "renamed",
    a_real_history_is_found_across_a_new_name = "renamed-histories",
    short_forms_are_no_pairs_without_their_template = "template-pairs",
    a_common_template_makes_no_pairs = "cpp-docs",
    serial_notices_are_found = "rustsec",
    groups_equal_stars_over_exact_pairs = "groups",
    an_excerpt_leads_to_its_source = "excerpts",
    files_of_every_kind_end_in_a_state = "formats",
    a_changed_file_without_text_is_found = "raw",
    bad_input_ends_as_the_format_says = "bad-inputs",
    what_an_attack_found_is_mended = "attack",
    json_lines_keep_their_contract = "contract",
    exit_codes_keep_their_contract = "exits",
}
