# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_simctl_global_optspecs
    string join \n socket= json h/help V/version
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
complete -c simctl -n "__fish_simctl_needs_command" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_needs_command" -s V -l version -d 'Print version'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "find-similar" -d 'List the files that resemble FILE, most alike first'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "containing" -d 'List the files that contain FILE, those that hold most of it first'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "contained-in" -d 'List the files contained in FILE, most fully contained first'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "versions" -d 'Show the versions of FILE, earliest to latest, and how each came of another'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "compare" -d 'Show how two files stand to each other, and their difference'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "calibrate" -d 'Measure how coarsely documents of each size may be sampled; changes nothing'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "judge" -d 'Label pairs, hold judgements against labels, or learn to judge from them'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "pairs" -d 'List the pairs of near-duplicates'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "groups" -d 'List the groups of near-duplicates, or one of them'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "folders" -d 'List folders, archives and roots that are copies of each other as a whole, largest first'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "templates" -d 'List text that recurs in many documents of a root: letterheads, footers, disclaimers'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "status" -d 'Show what the daemon holds and watches'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "files" -d 'List every file seen, with its state'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "show" -d 'Show all that is on record about FILE: who read it, what it says of itself, what it holds'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "roots" -d 'List the watched roots, or confirm a loss'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "rescan" -d 'Walk roots again'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "sync" -d 'Wait until every change made so far is applied'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "watch" -d 'Print changes as they become visible to queries, until interrupted'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "report" -d 'Write a report directory, or have the daemon keep one'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c simctl -n "__fish_simctl_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l scheme -d 'Find files by this signature scheme, one of those that the daemon\'s config lists; what is found is verified in the same way' -r -f -a "mod_n\t'By sampled fingerprints'
bsw_n\t'By content-defined chunks of fingerprints as well'
min_n\t'By the smallest fingerprints; what is similar alone'
sketch_n\t'By the smallest fingerprint of each bin; what is similar alone'"
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l root -d 'Look only under this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l fold -d 'Fold near-duplicates among the files listed under the best of them, and count them; auto: in tables on a terminal. With --json, always lists all files and names the one that each is folded under' -r -f -a "auto\t'In tables on a terminal'
always\t'Wherever the answer goes'
never\t'List every file'"
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l judge -d 'Judge by many signals whether each pair is the same document, a version, or only the same template' -r -f -a "on\t'Beside the numbers of each pair'
off\t'Numbers alone'"
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l limit -d 'List at most this many files [default: 20]' -r
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l threshold -d 'Least resemblance or containment, from 0 to 1 [default: 0.1]; it does not change how relations are named' -r
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l wait -d 'Wait until all that was seen so far is in the index, then ask'
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand find-similar" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l scheme -d 'Find files by this signature scheme, one of those that the daemon\'s config lists; what is found is verified in the same way' -r -f -a "mod_n\t'By sampled fingerprints'
bsw_n\t'By content-defined chunks of fingerprints as well'
min_n\t'By the smallest fingerprints; what is similar alone'
sketch_n\t'By the smallest fingerprint of each bin; what is similar alone'"
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l root -d 'Look only under this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l fold -d 'Fold near-duplicates among the files listed under the best of them, and count them; auto: in tables on a terminal. With --json, always lists all files and names the one that each is folded under' -r -f -a "auto\t'In tables on a terminal'
always\t'Wherever the answer goes'
never\t'List every file'"
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l judge -d 'Judge by many signals whether each pair is the same document, a version, or only the same template' -r -f -a "on\t'Beside the numbers of each pair'
off\t'Numbers alone'"
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l limit -d 'List at most this many files [default: 20]' -r
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l threshold -d 'Least resemblance or containment, from 0 to 1 [default: 0.5]; it does not change how relations are named' -r
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l wait -d 'Wait until all that was seen so far is in the index, then ask'
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand containing" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand containing" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l scheme -d 'Find files by this signature scheme, one of those that the daemon\'s config lists; what is found is verified in the same way' -r -f -a "mod_n\t'By sampled fingerprints'
bsw_n\t'By content-defined chunks of fingerprints as well'
min_n\t'By the smallest fingerprints; what is similar alone'
sketch_n\t'By the smallest fingerprint of each bin; what is similar alone'"
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l root -d 'Look only under this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l fold -d 'Fold near-duplicates among the files listed under the best of them, and count them; auto: in tables on a terminal. With --json, always lists all files and names the one that each is folded under' -r -f -a "auto\t'In tables on a terminal'
always\t'Wherever the answer goes'
never\t'List every file'"
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l judge -d 'Judge by many signals whether each pair is the same document, a version, or only the same template' -r -f -a "on\t'Beside the numbers of each pair'
off\t'Numbers alone'"
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l limit -d 'List at most this many files [default: 20]' -r
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l threshold -d 'Least resemblance or containment, from 0 to 1 [default: 0.5]; it does not change how relations are named' -r
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l wait -d 'Wait until all that was seen so far is in the index, then ask'
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand contained-in" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l scheme -d 'Find files by this signature scheme, one of those that the daemon\'s config lists; what is found is verified in the same way' -r -f -a "mod_n\t'By sampled fingerprints'
bsw_n\t'By content-defined chunks of fingerprints as well'
min_n\t'By the smallest fingerprints; what is similar alone'
sketch_n\t'By the smallest fingerprint of each bin; what is similar alone'"
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l root -d 'Look only under this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l format -d 'Draw the versions in this form; --json prints lines in place of it' -r -f -a "tree\t'A tree for a terminal of 80 columns'
dot\t'A graph for Graphviz'
svg\t'A picture'"
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l limit -d 'Find at most this many versions [default: 4096]' -r
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l threshold -d 'Least resemblance of two versions, one of which leads to the other, from 0 to 1 [default: 0.5]' -r
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l wait -d 'Wait until all that was seen so far is in the index, then ask'
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l wide -d 'Name every copy, by its whole path, however wide the lines become'
complete -c simctl -n "__fish_simctl_using_subcommand versions" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand versions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l scheme -d 'Estimate by this signature scheme beside the exact numbers (repeatable) [default: those of the index]' -r -f -a "mod_n\t'Sampled fingerprints'
bsw_n\t'Content-defined chunks of fingerprints; no interval'
min_n\t'The smallest fingerprints; no containment'
sketch_n\t'The smallest fingerprint of each bin; no containment'"
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l n -d 'Sample one shingle in N (mod_n, bsw_n), or keep N of each text (min_n, sketch_n) [default: as the index does]' -r
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l judge -d 'Judge by many signals whether each pair is the same document, a version, or only the same template' -r -f -a "on\t'Beside the numbers of each pair'
off\t'Numbers alone'"
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l no-difference -d 'Give the numbers alone'
complete -c simctl -n "__fish_simctl_using_subcommand compare" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l precision -d 'Least share of pairs found by sampling that are similar, from 0 to 1 [default: 0.95]' -r
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l threshold -d 'Least resemblance or containment, from 0 to 1 [default: the daemon\'s]' -r
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand calibrate" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -f -a "label" -d 'Show pairs one by one and keep what you say they are, in a file that a later run goes on with'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -f -a "evaluate" -d 'Hold judgements against labels: each signal, all of them, the model in force, raters against each other'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -f -a "train" -d 'Learn a model from labels and judge by it from then on, or return to the shipped one'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and not __fish_seen_subcommand_from label evaluate train help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l labels -d 'File that labels are appended to, one JSON line each; made where there is none' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l rater -d 'Who labels [default: $USER]' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l pairs -d 'Label the pairs of this file, lines of `simctl pairs --json`, in place of a sample' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l threshold -d 'Least resemblance or containment, from 0 to 1 [default: the daemon\'s]' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l count -d 'Pairs of the sample; a greater count goes on where a smaller one ended [default: 100]' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l seed -d 'Another seed, another sample [default: 0]' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l lines -d 'Lines of the difference that are shown at first' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l root -d 'Look only under this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from label" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from evaluate" -l labels -d 'File of labels, as `simctl judge label` writes it (repeatable)' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from evaluate" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from evaluate" -l skip-unknown -d 'Leave out labels of texts that no file carries any more'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from evaluate" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from evaluate" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l labels -d 'File of labels, as `simctl judge label` writes it (repeatable)' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l name -d 'What the model is called in answers [default: trained]' -r
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l skip-unknown -d 'Leave out labels of texts that no file carries any more'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l dry-run -d 'Train and compare only; the model in force stays'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l reset -d 'Judge by the shipped model again'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from train" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from help" -f -a "label" -d 'Show pairs one by one and keep what you say they are, in a file that a later run goes on with'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from help" -f -a "evaluate" -d 'Hold judgements against labels: each signal, all of them, the model in force, raters against each other'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from help" -f -a "train" -d 'Learn a model from labels and judge by it from then on, or return to the shipped one'
complete -c simctl -n "__fish_simctl_using_subcommand judge; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l judge -d 'Judge by many signals whether each pair is the same document, a version, or only the same template' -r -f -a "on\t'Beside the numbers of each pair'
off\t'Numbers alone'"
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l threshold -d 'Least resemblance or containment, from 0 to 1 [default: the daemon\'s]' -r
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l limit -d 'List the first COUNT [default: all]; all are computed and counted' -r
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l root -d 'Look only under this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l wait -d 'Wait until all that was seen so far is in the index, then ask'
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand pairs" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l of -d 'Show the group of this file alone' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l id -d 'Show the group with this id alone' -r
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l kind -d 'List groups of this kind' -r -f -a "stars\t'A principal and those that resemble it'
components\t'Whoever is linked by a chain of near-duplicates; its ends may be unlike'
cores\t'Maximal sets of documents all of which share the same fingerprints; they may overlap'"
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l common -d 'Of cores: the least fingerprints that all documents share, of the 100 kept of each [default: 85]' -r
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l deadline -d 'Of cores: stop seeking them after this time, and say what is not listed [default: 60]' -r
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l judge -d 'Judge by many signals whether each pair is the same document, a version, or only the same template' -r -f -a "on\t'Beside the numbers of each pair'
off\t'Numbers alone'"
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l threshold -d 'Least resemblance or containment, from 0 to 1 [default: the daemon\'s]' -r
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l limit -d 'List the first COUNT [default: all]; all are computed and counted' -r
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l root -d 'Look only under this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l wait -d 'Wait until all that was seen so far is in the index, then ask'
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand groups" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand groups" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l share -d 'Least share of the files of both folders that have their like in the other, from 0.1 to 1 [default: 0.5]' -r
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l files -d 'Fewest files that each folder has in common with the other [default: 2]' -r
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l limit -d 'List the first COUNT [default: all]; all are computed and counted' -r
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l root -d 'Look only under this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l wait -d 'Wait until all that was seen so far is in the index, then ask'
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand folders" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand folders" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l min-documents -d 'List what at least this many documents of a root hold [default: 10]' -r
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l limit -d 'List at most this many of each root [default: 1000]; all are found and counted' -r
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l wait -d 'Wait until all that was seen so far is in the index, then ask'
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand templates" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand templates" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand status" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand status" -l json -d 'Print one JSON object a line'
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
complete -c simctl -n "__fish_simctl_using_subcommand files" -l limit -d 'List the first COUNT [default: all]; all are computed and counted' -r
complete -c simctl -n "__fish_simctl_using_subcommand files" -l root -d 'Look only under this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand files" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand files" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand files" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand show" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand show" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand show" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and not __fish_seen_subcommand_from confirm-loss help" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand roots; and not __fish_seen_subcommand_from confirm-loss help" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and not __fish_seen_subcommand_from confirm-loss help" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and not __fish_seen_subcommand_from confirm-loss help" -f -a "confirm-loss" -d 'Take a held loss as real: remove the files that a rescan missed'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and not __fish_seen_subcommand_from confirm-loss help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from confirm-loss" -l token -d 'The loss that was looked at, as `simctl roots` names it: another is refused. Without it, shows what is lost and asks, on a terminal' -r
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from confirm-loss" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from confirm-loss" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from confirm-loss" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from help" -f -a "confirm-loss" -d 'Take a held loss as real: remove the files that a rescan missed'
complete -c simctl -n "__fish_simctl_using_subcommand roots; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand rescan" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand rescan" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand rescan" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand sync" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand sync" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand sync" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand watch" -l after -d 'Resume behind the event with this number, where the daemon still keeps what followed' -r
complete -c simctl -n "__fish_simctl_using_subcommand watch" -l root -d 'Look only under this root (repeatable) [default: all]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand watch" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand watch" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand watch" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand report" -l out -d 'Directory to make, here and with your rights; it must not exist' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand report" -l keep -d 'Name under which the daemon keeps the report in its own directory for reports' -r
complete -c simctl -n "__fish_simctl_using_subcommand report" -l since -d 'Earlier report to compare with, by its directory or manifest: what changed is written to DIR.changes.jsonl beside the new one' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand report" -l kind -d 'What the report is of' -r -f -a "groups\t'Groups of near-duplicates, with their differences'
copies-of\t'Everyone who holds a near-copy of these files, by root and owner'
stale-versions\t'Versions with a later one, older than --older-than'
leak\t'Files outside the roots --protected that share text with a document inside'
duplicates\t'Files that could be freed; nothing is deleted'"
complete -c simctl -n "__fish_simctl_using_subcommand report" -l older-than -d 'Least age of a stale version, such as 12h, 90d, 6w or 2y (--kind stale-versions)' -r
complete -c simctl -n "__fish_simctl_using_subcommand report" -l protected -d 'Watched root whose text must not be elsewhere; repeatable (--kind leak)' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand report" -l load-file -d 'Also write a load file for review platforms, one row per file, in load/ of the report' -r -f -a "dat\t'Concordance DAT'
csv\t'CSV; a value that a spreadsheet might run gets an apostrophe in front'
edrm\t'EDRM XML 1.2'"
complete -c simctl -n "__fish_simctl_using_subcommand report" -l profile -d 'Name the fields of the load file as this platform does' -r -f -a "relativity\t'Relativity'
law\t'CloudNine LAW'
brainspace\t'Brainspace'
purview\t'Microsoft Purview'
short\t'At most 12 characters, for Concordance Desktop'"
complete -c simctl -n "__fish_simctl_using_subcommand report" -l encoding -d 'Encode the load file in this way (csv and edrm are always UTF-8)' -r -f -a "utf-8\t'UTF-8'
windows-1252\t'Windows-1252; what it has not becomes `?`'"
complete -c simctl -n "__fish_simctl_using_subcommand report" -l threshold -d 'Least resemblance, or share of either text with --kind leak, from 0 to 1 [default: the daemon\'s, or 0.5 with --kind leak]' -r
complete -c simctl -n "__fish_simctl_using_subcommand report" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand report" -l wait -d 'Wait until all that was seen so far is in the index, then ask'
complete -c simctl -n "__fish_simctl_using_subcommand report" -l strict -d 'Fail if the index is not complete'
complete -c simctl -n "__fish_simctl_using_subcommand report" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c simctl -n "__fish_simctl_using_subcommand completions" -l socket -d 'Ask the daemon at this socket [default: $SIMDEX_SOCKET, else simdex/simdexd.sock in $XDG_RUNTIME_DIR or /run]' -r -F
complete -c simctl -n "__fish_simctl_using_subcommand completions" -l json -d 'Print one JSON object a line'
complete -c simctl -n "__fish_simctl_using_subcommand completions" -s h -l help -d 'Print help'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "find-similar" -d 'List the files that resemble FILE, most alike first'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "containing" -d 'List the files that contain FILE, those that hold most of it first'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "contained-in" -d 'List the files contained in FILE, most fully contained first'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "versions" -d 'Show the versions of FILE, earliest to latest, and how each came of another'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "compare" -d 'Show how two files stand to each other, and their difference'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "calibrate" -d 'Measure how coarsely documents of each size may be sampled; changes nothing'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "judge" -d 'Label pairs, hold judgements against labels, or learn to judge from them'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "pairs" -d 'List the pairs of near-duplicates'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "groups" -d 'List the groups of near-duplicates, or one of them'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "folders" -d 'List folders, archives and roots that are copies of each other as a whole, largest first'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "templates" -d 'List text that recurs in many documents of a root: letterheads, footers, disclaimers'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "status" -d 'Show what the daemon holds and watches'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "files" -d 'List every file seen, with its state'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "show" -d 'Show all that is on record about FILE: who read it, what it says of itself, what it holds'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "roots" -d 'List the watched roots, or confirm a loss'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "rescan" -d 'Walk roots again'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "sync" -d 'Wait until every change made so far is applied'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "watch" -d 'Print changes as they become visible to queries, until interrupted'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "report" -d 'Write a report directory, or have the daemon keep one'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c simctl -n "__fish_simctl_using_subcommand help; and not __fish_seen_subcommand_from find-similar containing contained-in versions compare calibrate judge pairs groups folders templates status files show roots rescan sync watch report completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c simctl -n "__fish_simctl_using_subcommand help; and __fish_seen_subcommand_from judge" -f -a "label" -d 'Show pairs one by one and keep what you say they are, in a file that a later run goes on with'
complete -c simctl -n "__fish_simctl_using_subcommand help; and __fish_seen_subcommand_from judge" -f -a "evaluate" -d 'Hold judgements against labels: each signal, all of them, the model in force, raters against each other'
complete -c simctl -n "__fish_simctl_using_subcommand help; and __fish_seen_subcommand_from judge" -f -a "train" -d 'Learn a model from labels and judge by it from then on, or return to the shipped one'
complete -c simctl -n "__fish_simctl_using_subcommand help; and __fish_seen_subcommand_from roots" -f -a "confirm-loss" -d 'Take a held loss as real: remove the files that a rescan missed'
