//! The sample config, generated from the table of keys: `packaging/simdexd.toml` is this text.

use std::fmt::Write;

use super::{Config, SECTIONS, Setting};

/// Width of a comment, columns.
const WIDTH: usize = 98;

const HEAD: &str = r#"# Simdex daemon: sample configuration. Every key is here with its default; unknown keys are errors.
# Check a file with: simdexd check-config --config FILE
# This file is what `simdexd sample-config` prints.

# Directory of the index. Without it: $STATE_DIRECTORY under systemd, otherwise
# $XDG_STATE_HOME/simdex (or ~/.local/state/simdex), for root /var/lib/simdex.
# data_dir = "/var/lib/simdex"

# The Unix socket that clients connect to. Without it: simdexd.sock in $XDG_RUNTIME_DIR/simdex,
# $RUNTIME_DIRECTORY or /run/simdex.
# socket = "/run/simdex/simdexd.sock"

# Directory of the reports that the daemon keeps for clients (simctl report --keep NAME). It must exist,
# be given by a path without symlinks, and be outside the data directory and all roots. Without it no
# reports are kept; simctl report --out DIR does not need it, since it writes as the user who runs it.
# report_dir = "/var/lib/simdex-reports"

# Lines that are left out of what is signed and compared, such as letterheads and disclaimers: a file with
# one entry per line, in any case and spacing, as `simctl templates --lines` prints it. They are left out
# wherever their words occur, so entries of fewer than 20 bytes are refused. Blank lines and those that
# begin with # are skipped (\# begins a line with #). After a change of the list every document is signed
# again at the next start.
# template_lines = "/etc/simdex/template-lines.txt"

# The watched trees, one block each. Paths are absolute, do not overlap each other or data_dir, and lead
# through no symlink: a root that does is stale.
#   mode  auto    events if the file system reports them, otherwise polling (NFS, SMB, FUSE)
#         native  events, and occasional rescans
#         poll    rescans only
# [[roots]]
# path = "/srv/shares/legal"
# mode = "auto"

# Reports on schedule, one block each, kept in report_dir as NAME-TIME (the time the run was due, UTC).
# Runs missed while the daemon was away are caught up by one; a run that failed is tried again after a minute,
# then after pauses that grow to an hour, until the next is due.
#   cron             minute, hour, day of the month, month, day of the week, in time_zone (UTC)
#   kind             groups (with files: only those of these files); components, or cores with common (85)
#                    and mining_seconds (60); or a question: copies-of with indexed files, stale-versions with
#                    older_than (90d, 2y), leak with protected roots, duplicates
#   roots            the roots that the reports cover (all); not for kind leak
#   threshold        as --threshold of simctl report
#   containment      as --containment of simctl report (copies-of, stale-versions and leak)
#   load_file        dat, csv or edrm, with profile and encoding (kind groups)
#   judge            false: the files of groups are not judged against their principals (true; kind groups)
#   since_last       true: each report lists the changes since the last one (not for components and cores)
#   keep             number of reports of this schedule to keep; older ones are removed (12)
#   command          a program by its absolute path and its arguments, run after each report with the path
#                    of the manifest as one more argument; no shell, no input, no environment but PATH
#   command_seconds  after this many seconds it is killed (60)
# [[schedules]]
# name = "weekly"
# cron = "0 2 * * mon"
# time_zone = "Europe/Zurich"
# kind = "groups"
# keep = 12
# command = ["/usr/local/bin/tell-compliance"]
"#;

/// The sample config: every key with its meaning, range and default.
pub fn sample() -> String {
    let settings = Config::default().settings();
    let mut text = HEAD.to_owned();
    for (section, about) in SECTIONS {
        let _ = write!(text, "\n[{section}]\n");
        comment(&mut text, about);
        let keys = settings
            .iter()
            .filter(|setting| setting.section == *section);
        keys.for_each(|setting| entry(&mut text, setting));
    }
    text
}

fn entry(text: &mut String, setting: &Setting) {
    text.push('\n');
    let range = setting.range.as_ref();
    let range = range.map_or_else(String::new, |range| format!(" Range: {range}."));
    comment(text, &format!("{}{range}", setting.meaning.trim()));
    let _ = writeln!(text, "{} = {}", setting.key, setting.value);
}

/// Appends `words` as lines of a comment.
fn comment(text: &mut String, words: &str) {
    let mut line = String::from("#");
    for word in words.split_whitespace() {
        if line.len() + 1 + word.len() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
}
