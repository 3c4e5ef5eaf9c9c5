# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_simctl_global_optspecs
    string join \n socket= json wide h/help V/version
end

function __fish_simctl_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_simctl_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_simctl_using_subcommand
    set -l cmd (__fish_simctl_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c simctl -n "__fish_simctl_needs_command" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_needs_command" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_needs_command" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_needs_command" -s V -l version -d 'Print version'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "find-similar" -d 'List the files that resemble FILE, most alike first'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "containing" -d 'List the files that contain FILE, those that contain most of it first'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "contained-in" -d 'List the files contained in FILE, most fully contained first'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "versions" -d 'Show the versions of FILE from earliest to latest, and how each derives from another'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "compare" -d 'Show how two files are related, and their difference'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "calibrate" -d 'Measure how coarsely documents of each size may be sampled; changes nothing without --apply'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "sampling" -d 'Show how coarsely documents of each size are sampled, or return to sampling by length'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "judge" -d 'Label pairs, evaluate judgements against labels, or train the model on them'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "pairs" -d 'List the pairs of near-duplicates, and each copy with the first file of its text'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "groups" -d 'List the groups of near-duplicates, or one of them'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "folders" -d 'List folders, archives and roots that are copies of each other as a whole, largest first'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "templates" -d 'List text that recurs in many documents of a root: letterheads, footers, disclaimers'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "status" -d 'Show the state of the daemon, its index and its roots'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "files" -d 'List every file seen, with its state'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "show" -d 'Show everything recorded about FILE: its reader, its own metadata, its members'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "roots" -d 'List the watched roots, or confirm the loss of files'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "rescan" -d 'Scan roots again'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "sync" -d 'Wait until every change made so far is applied'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "watch" -d 'Print changes as they become visible to queries, until interrupted'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "report" -d 'Write a report directory, or have the daemon keep one'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l relation-threshold -d 'Resemblance from which a file is called a near-duplicate, and folded as one, from 0 to 1; it hides no file [default: the daemon\'s threshold]' -r
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l containment-threshold -d 'Containment from which a file is said to contain FILE or to be contained in it, from 0 to 1 [default: --relation-threshold]' -r
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l scheme -d 'Search by this signature scheme, one of those listed in the daemon\'s config; results are verified in the same way. pairs, groups, folders and report always search by mod_n: they verify every answer on all shingles, so that another scheme would find the same or fewer' -r -f -a "mod_n\t'By sampled fingerprints'
bsw_n\t'By sampled fingerprints, and by content-defined chunks of them'
min_n\t'By the smallest fingerprints; only for find-similar'
sketch_n\t'By the smallest fingerprint of each bin; only for find-similar'
super_shingles\t'By two of six groups of minima, for what is almost equal; only for find-similar'"
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l root -d 'Limit to this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l fold -d 'Fold near-duplicates among the results under the best of them, with their number; auto: only in tables on a terminal. With --json, `--fold always` lists all files, each with the one that it is folded under' -r -f -a "auto\t'Fold in tables on a terminal'
always\t'Fold in all output'
never\t'List every file'"
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l judge -d 'Judge from many signals whether the files of each pair are the same document, versions, or only share a template' -r -f -a "on\t'Show a judgement beside the numbers of each pair'
off\t'Show only the numbers'"
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l limit -d 'List at most this many files, up to 10,000 [default: 20]' -r
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l threshold -d 'Least resemblance, from 0 to 1; that of a short FILE and a long one that contains it is low: use `containing` [default: 0.1]; how relations are named does not depend on it' -r
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l relation-threshold -d 'Resemblance from which a file is called a near-duplicate, and folded as one, from 0 to 1; it hides no file [default: the daemon\'s threshold]' -r
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l containment-threshold -d 'Containment from which a file is said to contain FILE or to be contained in it, from 0 to 1 [default: --relation-threshold]' -r
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l root -d 'Limit to this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l fold -d 'Fold near-duplicates among the results under the best of them, with their number; auto: only in tables on a terminal. With --json, `--fold always` lists all files, each with the one that it is folded under' -r -f -a "auto\t'Fold in tables on a terminal'
always\t'Fold in all output'
never\t'List every file'"
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l judge -d 'Judge from many signals whether the files of each pair are the same document, versions, or only share a template' -r -f -a "on\t'Show a judgement beside the numbers of each pair'
off\t'Show only the numbers'"
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l scheme -d 'Search by this signature scheme, one of those listed in the daemon\'s config; results are verified in the same way. pairs, groups, folders and report always search by mod_n: they verify every answer on all shingles, so that another scheme would find the same or fewer' -r -f -a "mod_n\t'By sampled fingerprints'
bsw_n\t'By sampled fingerprints, and by content-defined chunks of them'"
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l limit -d 'List at most this many files, up to 10,000 [default: 20]' -r
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l threshold -d 'Least share of FILE that is in a listed file, from 0 to 1 [default: 0.5]; how relations are named does not depend on it' -r
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand containing" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l relation-threshold -d 'Resemblance from which a file is called a near-duplicate, and folded as one, from 0 to 1; it hides no file [default: the daemon\'s threshold]' -r
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l containment-threshold -d 'Containment from which a file is said to contain FILE or to be contained in it, from 0 to 1 [default: --relation-threshold]' -r
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l root -d 'Limit to this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l fold -d 'Fold near-duplicates among the results under the best of them, with their number; auto: only in tables on a terminal. With --json, `--fold always` lists all files, each with the one that it is folded under' -r -f -a "auto\t'Fold in tables on a terminal'
always\t'Fold in all output'
never\t'List every file'"
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l judge -d 'Judge from many signals whether the files of each pair are the same document, versions, or only share a template' -r -f -a "on\t'Show a judgement beside the numbers of each pair'
off\t'Show only the numbers'"
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l scheme -d 'Search by this signature scheme, one of those listed in the daemon\'s config; results are verified in the same way. pairs, groups, folders and report always search by mod_n: they verify every answer on all shingles, so that another scheme would find the same or fewer' -r -f -a "mod_n\t'By sampled fingerprints'
bsw_n\t'By sampled fingerprints, and by content-defined chunks of them'"
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l limit -d 'List at most this many files, up to 10,000 [default: 20]' -r
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l threshold -d 'Least share of a listed file that is in FILE, from 0 to 1 [default: 0.5]; how relations are named does not depend on it' -r
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l relation-threshold -d 'Resemblance from which a file is called a near-duplicate, and folded as one, from 0 to 1; it hides no file [default: the daemon\'s threshold]' -r
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l root -d 'Limit to this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l format -d 'Draw the versions in this form; with --json, print lines instead' -r -f -a "tree\t'A tree; ◉ marks the version of FILE'
dot\t'A graph for Graphviz'
svg\t'An SVG image'"
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l scheme -d 'Search by this signature scheme, one of those listed in the daemon\'s config; results are verified in the same way. pairs, groups, folders and report always search by mod_n: they verify every answer on all shingles, so that another scheme would find the same or fewer' -r -f -a "mod_n\t'By sampled fingerprints'
bsw_n\t'By sampled fingerprints, and by content-defined chunks of them'"
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l containment-threshold -d 'Also show files that resemble a version less than --threshold, but contain it or are contained in it by at least this share, from 0 to 1; the search does not continue from them. It is not below --threshold [default: --relation-threshold]' -r
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l limit -d 'Find at most this many versions, up to 10,000 [default: 4096]' -r
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l threshold -d 'Least resemblance of a version and the one that it derives from, from 0 to 1 [default: 0.5]' -r
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand versions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l diff -d 'Show the difference in this form' -r -f -a "auto\t'By words where lines are broken otherwise or a block moved, else by lines; with --json by lines'
lines\t'By lines, as patch applies it'
words\t'By words, whatever the line breaks: [-removed-], {+added+}, {>line N: moved<}; with --json as operations with offsets in both texts'"
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l scheme -d 'Also show the estimates of this signature scheme (repeatable) [default: those of the index]' -r -f -a "mod_n\t'Sampled fingerprints'
bsw_n\t'Content-defined chunks of fingerprints; its interval is measured'
min_n\t'The smallest fingerprints; gives no containment'
sketch_n\t'The smallest fingerprint of each bin; gives no containment'"
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l n -d 'Sample one shingle in N (mod_n, bsw_n), or keep N of each text (min_n, sketch_n) [default: as the index does]' -r
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l relation-threshold -d 'Resemblance from which the two are called near-duplicates, from 0 to 1 [default: the daemon\'s threshold]' -r
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l containment-threshold -d 'Containment from which one is said to contain the other, from 0 to 1 [default: --relation-threshold]' -r
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l judge -d 'Judge from many signals whether the files of each pair are the same document, versions, or only share a template' -r -f -a "on\t'Show a judgement beside the numbers of each pair'
off\t'Show only the numbers'"
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l no-difference -d 'Show only the numbers, not the difference'
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l precision -d 'Least share of the pairs found by sampling that must be similar, from 0 to 1 [default: 0.95]' -r
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l threshold -d 'Least resemblance, from 0 to 1 [default: the daemon\'s]' -r
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l report -d 'Write the evidence, with plots, to FILE as a page (HTML); FILE must not exist yet' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l apply -d 'Have all documents sampled as recommended; they are signed again in the background'
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l yes -d 'Do not ask before it is applied'
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand sampling" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand sampling" -l reset -d 'Have all documents sampled by their length alone again; they are signed again in the background'
complete -c simctl -n "__fish_simctl_using_subcommand sampling" -l yes -d 'Do not ask before it is reset'
complete -c simctl -n "__fish_simctl_using_subcommand sampling" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand sampling" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand sampling" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -f -a "label" -d 'Show pairs side by side, one by one, and save your labels to a file, which a later run continues'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -f -a "evaluate" -d 'Evaluate judgements against labels: each signal, all together, the model in force, agreement of raters'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -f -a "train" -d 'Train a model on labels and judge by it from then on, or return to the shipped one'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l labels -d 'File to append labels to, one JSON line each; created if missing. A pipe or a device is refused' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l rater -d 'Name of the person who labels [default: $USER]' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l pairs -d 'Label the pairs in this file, lines of `simctl pairs --json`, instead of a sample; a pipe is refused' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l threshold -d 'Least resemblance, from 0 to 1 [default: the daemon\'s]' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l count -d 'Number of pairs in the sample, up to 10,000; a larger sample continues a smaller one [default: 100]' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l seed -d 'Seed of the random sample [default: 0]' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l lines -d 'Number of lines side by side that are shown at first' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l root -d 'Limit to this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from evaluate" -l labels -d 'File of labels, written by `simctl judge label`, or `-` for standard input (repeatable)' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from evaluate" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from evaluate" -l skip-unknown -d 'Skip labels of texts that are in no file any more'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from evaluate" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from evaluate" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from evaluate" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l labels -d 'File of labels, written by `simctl judge label`, or `-` for standard input (repeatable)' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l name -d 'Name of the model in answers [default: trained]' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l skip-unknown -d 'Skip labels of texts that are in no file any more'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l dry-run -d 'Only train and compare; keep the model in force'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l reset -d 'Return to the shipped model'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from help" -f -a "label" -d 'Show pairs side by side, one by one, and save your labels to a file, which a later run continues'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from help" -f -a "evaluate" -d 'Evaluate judgements against labels: each signal, all together, the model in force, agreement of raters'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from help" -f -a "train" -d 'Train a model on labels and judge by it from then on, or return to the shipped one'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l after -d 'Resume a list: begin after the pair of these files, the last one that was listed' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l judge -d 'Judge from many signals whether the files of each pair are the same document, versions, or only share a template [default: first]' -r -f -a "first\t'Show a judgement beside the numbers of the first 1,000 pairs of different texts, fewer if these are long'
on\t'Show a judgement beside the numbers of each pair, however long that takes'
off\t'Show only the numbers'"
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l threshold -d 'Least resemblance, from 0 to 1 [default: the daemon\'s]' -r
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l containment-threshold -d 'Also list pairs that resemble each other less than --threshold, but of which one contains the other from this share on, from 0 to 1; the first pair is then listed only after all have been searched for' -r
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l limit -d 'List only the first COUNT [default: all]; the rest are counted, except by `pairs`, which searches for no more' -r
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l root -d 'Limit to this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l of -d 'Show only the group of this file' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l id -d 'Show only the group with this id' -r
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l kind -d 'List groups of this kind. Containment joins nothing, so there is no threshold for it: see `pairs`' -r -f -a "stars\t'A principal document and those that resemble it'
components\t'Documents linked by chains of near-duplicates; the ends of a chain may differ'
cores\t'Maximal sets of documents that all share the same fingerprints; sets may overlap'"
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l common -d 'With --kind cores: least number of fingerprints that all documents share, of 100 kept of each [default: 85]' -r
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l deadline -d 'With --kind cores: stop the search after this time, and report what may be missing [default: 60]' -r
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l after -d 'Resume a list: begin after the group whose first file is this one, the last one that was listed' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l judge -d 'Judge from many signals whether the files of each pair are the same document, versions, or only share a template [default: first]' -r -f -a "first\t'Show a judgement beside the numbers of the first 1,000 pairs of different texts, fewer if these are long'
on\t'Show a judgement beside the numbers of each pair, however long that takes'
off\t'Show only the numbers'"
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l threshold -d 'Least resemblance, from 0 to 1 [default: the daemon\'s]' -r
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l limit -d 'List only the first COUNT [default: all]; the rest are counted, except by `pairs`, which searches for no more' -r
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l root -d 'Limit to this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand groups" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l share -d 'Least share of the files of both folders that have a counterpart in the other, from 0.1 to 1 [default: 0.5]' -r
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l files -d 'Least number of files that each folder has in common with the other [default: 2]' -r
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l limit -d 'List only the first COUNT [default: all]; the rest are counted, except by `pairs`, which searches for no more' -r
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l root -d 'Limit to this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l exceptions -d 'Name the files of each folder that have no counterpart in the other, 100 of each at most'
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand folders" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l min-documents -d 'List text that occurs in at least this many documents of a root [default: 10]' -r
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l limit -d 'List at most this many templates of each root, up to 10,000 [default: 1000]; the rest are counted' -r
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l lines -d 'Print their lines whole, as a list to edit for `template_lines` in the daemon\'s configuration, which leaves those lines out of what is compared'
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand templates" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand status" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand status" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand status" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand status" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand files" -l state -d 'List only files in this state (repeatable)' -r -f -a "indexed\t''
identical-bytes\t''
identical-text\t''
partial\t''
container\t''
no-text\t''
too-short\t''
encrypted\t''
unsupported\t''
too-large\t''
failed\t''
timed-out\t''
crashed\t''
unreadable\t''
skipped\t''
unstable\t''
quarantined\t''"
complete -c simctl -n "__fish_simctl_using_subcommand files" -l after -d 'Resume a list: begin after this file, the last one that was listed' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand files" -l limit -d 'List only the first COUNT [default: all]; the rest are counted, except by `pairs`, which searches for no more' -r
complete -c simctl -n "__fish_simctl_using_subcommand files" -l root -d 'Limit to this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand files" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand files" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand files" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand files" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand files" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand files" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand show" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand show" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand show" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand show" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand show" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand show" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and not __fish_seen_subcommand_from confirm-loss help" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand roots; and not __fish_seen_subcommand_from confirm-loss help" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and not __fish_seen_subcommand_from confirm-loss help" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and not __fish_seen_subcommand_from confirm-loss help" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and not __fish_seen_subcommand_from confirm-loss help" -f -a "confirm-loss" -d 'Confirm a held loss: remove from the index the files that a rescan did not find'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and not __fish_seen_subcommand_from confirm-loss help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from confirm-loss" -l token -d 'Token of the loss, as `simctl roots` prints it; if the loss has changed since, nothing is removed. Without it, shows what is lost and asks, on a terminal' -r
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from confirm-loss" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from confirm-loss" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from confirm-loss" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from confirm-loss" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from help" -f -a "confirm-loss" -d 'Confirm a held loss: remove from the index the files that a rescan did not find'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand rescan" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand rescan" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand rescan" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand rescan" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand sync" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand sync" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand sync" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand sync" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand watch" -l after -d 'Resume after the event with this number, if the daemon still keeps the events that followed' -r
complete -c simctl -n "__fish_simctl_using_subcommand watch" -l root -d 'Limit to this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand watch" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand watch" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand watch" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand watch" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand report" -l out -d 'Write the report to this directory, with your own permissions; it must not exist' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand report" -l keep -d 'Have the daemon keep the report under this name, in its own directory for reports' -r
complete -c simctl -n "__fish_simctl_using_subcommand report" -l since -d 'Compare with this earlier report of the same kind, given by its directory or manifest; changes are written to DIR.changes.jsonl beside the new report. With --keep, give the name of a kept report; changes are part of the new one' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand report" -l kind -d 'Kind of report' -r -f -a "groups\t'Groups of near-duplicates, with their differences'
components\t'Documents linked by chains of near-duplicates'
cores\t'Maximal sets of documents that all share the same fingerprints'
copies-of\t'Everyone who holds a near-copy of these files, by root and owner'
stale-versions\t'Versions that a later one superseded, by dates or by times of files an hour apart, older than --older-than'
leak\t'Files outside the protected roots that share text with a document inside'
duplicates\t'Copies that could be deleted to free space; nothing is deleted'"
complete -c simctl -n "__fish_simctl_using_subcommand report" -l older-than -d 'Least age of a stale version, such as 12h, 90d, 6w or 2y (--kind stale-versions)' -r
complete -c simctl -n "__fish_simctl_using_subcommand report" -l common -d 'With --kind cores: least number of fingerprints that all documents share, of 100 kept of each [default: 85]' -r
complete -c simctl -n "__fish_simctl_using_subcommand report" -l deadline -d 'With --kind cores: stop the search after this time, and report what may be missing [default: 60]' -r
complete -c simctl -n "__fish_simctl_using_subcommand report" -l containment -d 'Least containment, from 0 to 1: with --kind copies-of, of the given file in the other; with --kind leak, of either in the other; with --kind stale-versions, of the older text in the newer. --threshold is then the least resemblance only [default: --threshold; with --kind stale-versions, the daemon\'s threshold]' -r
complete -c simctl -n "__fish_simctl_using_subcommand report" -l protected -d 'Watched root whose text must not occur elsewhere (--kind leak; repeatable)' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand report" -l root -d 'Limit to this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand report" -l load-file -d 'Also write a load file for review platforms, one row per file, to load/ in the report' -r -f -a "dat\t'Concordance DAT'
csv\t'CSV; values that a spreadsheet might run are prefixed with an apostrophe'
edrm\t'EDRM XML 1.2'"
complete -c simctl -n "__fish_simctl_using_subcommand report" -l profile -d 'Name the fields of the load file as this platform does' -r -f -a "relativity\t'Relativity'
law\t'CloudNine LAW'
brainspace\t'Brainspace'
purview\t'Microsoft Purview'
short\t'At most 12 characters, for Concordance Desktop'"
complete -c simctl -n "__fish_simctl_using_subcommand report" -l encoding -d 'Encoding of a load file in dat; csv and edrm are always UTF-8' -r -f -a "utf-8\t'UTF-8'
windows-1252\t'Windows-1252; characters that it lacks become `?`'"
complete -c simctl -n "__fish_simctl_using_subcommand report" -l judge -d 'Judge from many signals whether the files of each pair are the same document, versions, or only share a template [default: on with --kind groups]' -r -f -a "on\t'Show a judgement beside the numbers of each pair'
off\t'Show only the numbers'"
complete -c simctl -n "__fish_simctl_using_subcommand report" -l threshold -d 'Least resemblance (with --kind stale-versions, of a version and the one that it derives from) or, with --kind leak, least share of either text, from 0 to 1 [default: the daemon\'s, or 0.5 with --kind leak or stale-versions]' -r
complete -c simctl -n "__fish_simctl_using_subcommand report" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand report" -l wait -d 'First wait until all changes seen so far are in the index'
complete -c simctl -n "__fish_simctl_using_subcommand report" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand report" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand report" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand completions" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand completions" -l json -d 'Print one JSON object per line'
complete -c simctl -n "__fish_simctl_using_subcommand completions" -l wide -d 'Show whole paths, and of versions every copy, however long the lines become. On a terminal lines are otherwise 80 columns wide, or as many as $COLUMNS says'
complete -c simctl -n "__fish_simctl_using_subcommand completions" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "find-similar" -d 'List the files that resemble FILE, most alike first'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "containing" -d 'List the files that contain FILE, those that contain most of it first'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "contained-in" -d 'List the files contained in FILE, most fully contained first'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "versions" -d 'Show the versions of FILE from earliest to latest, and how each derives from another'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "compare" -d 'Show how two files are related, and their difference'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "calibrate" -d 'Measure how coarsely documents of each size may be sampled; changes nothing without --apply'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "sampling" -d 'Show how coarsely documents of each size are sampled, or return to sampling by length'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "judge" -d 'Label pairs, evaluate judgements against labels, or train the model on them'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "pairs" -d 'List the pairs of near-duplicates, and each copy with the first file of its text'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "groups" -d 'List the groups of near-duplicates, or one of them'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "folders" -d 'List folders, archives and roots that are copies of each other as a whole, largest first'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "templates" -d 'List text that recurs in many documents of a root: letterheads, footers, disclaimers'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "status" -d 'Show the state of the daemon, its index and its roots'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "files" -d 'List every file seen, with its state'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "show" -d 'Show everything recorded about FILE: its reader, its own metadata, its members'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "roots" -d 'List the watched roots, or confirm the loss of files'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "rescan" -d 'Scan roots again'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "sync" -d 'Wait until every change made so far is applied'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "watch" -d 'Print changes as they become visible to queries, until interrupted'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "report" -d 'Write a report directory, or have the daemon keep one'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate sampling judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand help; and __fish_seen_subcommand_from judge" -f -a "label" -d 'Show pairs side by side, one by one, and save your labels to a file, which a later run continues'
complete -c simctl -n "__fish_simctl_using_subcommand help; and __fish_seen_subcommand_from judge" -f -a "evaluate" -d 'Evaluate judgements against labels: each signal, all together, the model in force, agreement of raters'
complete -c simctl -n "__fish_simctl_using_subcommand help; and __fish_seen_subcommand_from judge" -f -a "train" -d 'Train a model on labels and judge by it from then on, or return to the shipped one'
complete -c simctl -n "__fish_simctl_using_subcommand help; and __fish_seen_subcommand_from roots" -f -a "confirm-loss" -d 'Confirm a held loss: remove from the index the files that a rescan did not find'
