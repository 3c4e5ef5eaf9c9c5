//! Templates and folders.

use super::simctl;
use crate::fake::Daemon;

#[test]
fn a_template_is_shown_by_its_beginning_and_printed_whole_as_json() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["templates", "--min-documents", "12"]);
    assert_eq!(
        run.out,
        "\
DOCUMENTS  GROUPS  LINES  LEFT OUT  TEXT                                                           EXAMPLE
 12 of 40       4      2  yes       Example Ltd, Sample Street 1, 1000 Town Registered in Town, …  /share/a.txt
"
    );
    assert_eq!(
        run.talk,
        "simctl: 7 templates in 40 documents\n\
         simctl: not all are listed: --limit or the room for counting was reached; a higher --min-documents finds fewer\n"
    );
    let json = simctl(&daemon, &["templates", "--json"]).out;
    assert_eq!(
        json,
        "{\"type\":\"template\",\"v\":1,\"root\":\"/share\",\
         \"text\":\"Example Ltd, Sample Street 1, 1000 Town\\nRegistered in Town, number 12345\\n\",\
         \"lines\":2,\"documents\":10,\"groups\":4,\"of_documents\":40,\"cut\":false,\"left_out\":true,\"partly_left_out\":false,\"path\":\"/share/a.txt\"}\n\
         {\"type\":\"templates\",\"v\":1,\"templates\":7,\"documents\":40,\"truncated\":true,\
         \"seconds\":0.5,\"complete\":true}\n"
    );
    let list = simctl(&daemon, &["templates", "--lines"]).out;
    assert_eq!(
        list,
        "# in 10 of 40 documents of /share, of 4 groups, such as /share/a.txt\n\
         Example Ltd, Sample Street 1, 1000 Town\nRegistered in Town, number 12345\n\n"
    );
    for both in [
        ["--json", "templates", "--lines"],
        ["templates", "--lines", "--json"],
    ] {
        let refused = simctl(&daemon, &both);
        assert_eq!((refused.code, refused.out.as_str()), (2, ""));
        assert_eq!(
            refused.talk,
            "simctl: --lines prints a list to edit, which has no form as JSON; leave out --lines or --json\n"
        );
    }
    assert_eq!(
        simctl(&daemon, &["templates", "--min-documents", "1"]).code,
        2
    );
}

#[test]
fn folders_are_listed_with_what_each_shares() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["folders"]);
    assert_eq!(
        run.out,
        "\
SHARED OF A  SHARED OF B  REVISED  COPIES  A            B
  97 of 100     96 of 98        5          /share/2024  /share/backup.zip!
"
    );
    assert_eq!(run.talk, "simctl: 1 pair of folders in 250 files\n");
    let json = simctl(&daemon, &["folders", "--json"]).out;
    assert_eq!(
        json,
        "{\"type\":\"folders\",\"v\":1,\"a\":\"/share/2024\",\"b\":\"/share/backup.zip!\",\
         \"files_a\":100,\"files_b\":98,\"shared_a\":97,\"shared_b\":96,\"revised\":5,\"share\":0.9747474747474747}\n\
         {\"type\":\"folder-copies\",\"v\":1,\"pairs\":1,\"files\":250,\"truncated\":false,\"too_common\":0,\
         \"seconds\":0.5,\"complete\":true}\n"
    );
}

#[test]
fn files_of_folders_that_have_no_like_are_named_where_that_is_asked_for() {
    let daemon = Daemon::start();
    let run = simctl(&daemon, &["folders", "--exceptions"]);
    assert_eq!(
        run.out,
        "\
SHARED OF A  SHARED OF B  REVISED  COPIES  A                    B
  97 of 100     96 of 98        5          /share/2024          /share/backup.zip!
      alone                                /share/2024/new.txt
      alone                                and 2 more
"
    );
    let json = simctl(&daemon, &["folders", "--exceptions", "--json"]).out;
    let named = "\"share\":0.9747474747474747,\"alone_a\":[{\"path\":\"/share/2024/new.txt\"}]}\n";
    assert!(json.contains(named), "{json}");
}
