//! The verbs, one file each except the three of [`find`], and what they share: connection, printer, lists.

mod calibrate;
mod compare;
mod completions;
mod confirm;
mod files;
mod find;
mod first_judged;
mod folders;
mod groups;
mod judge;
mod pairs;
mod report;
mod rescan;
mod roots;
mod sampling;
mod show;
mod status;
mod sync;
mod templates;
mod versions;
mod watch;

use std::io::{BufWriter, StdoutLock};
use std::path::{Path, PathBuf};

use simdex_client::completeness::Completeness;
use simdex_client::lines::Body;
use simdex_client::promise::Promise;
use simdex_client::text::{counted, escaped};
use simdex_client::wire::{self, Summary};
use simdex_client::{
    Client, Error, FindKind, ItemStream, Reply, default_socket, lines, path_bytes, shown,
};

use crate::cli::{Cli, CompletenessArgs, RequestVerb, Verb};
use crate::exit_code::Outcome;
use crate::failure::Failure;
use crate::output::{Printer, Record, Tabular, eprint_line, shell_word, summary_sentence};
use crate::progress::{ListBar, waiting};
use first_judged::FirstJudged;

/// What helps if the time allowed was too short to judge a whole list.
const UNJUDGED_ADVICE: &str = "raise --threshold, or list fewer roots";

/// A connection, and the printer of answers.
struct Session {
    client: Client,
    printer: Printer<BufWriter<StdoutLock<'static>>>,
    /// Does not cut lines to the terminal width.
    wide: bool,
}

/// Runs the verb on the command line.
pub(crate) async fn run(cli: Cli) -> Result<Outcome, Failure> {
    let Cli { global, verb } = cli;
    let mut printer = Printer::on_stdout(global.json, global.wide);
    let request = match verb {
        Verb::Request(request) => request,
        Verb::Completions { shell } => {
            completions::run(shell, &mut printer)?;
            return Ok(Outcome::Answered);
        }
    };
    let socket = global.socket.unwrap_or_else(default_socket);
    let client = Client::connect(&socket).await?;
    let mut session = Session {
        client,
        printer,
        wide: global.wide,
    };
    let outcome = ask(&mut session, request).await?;
    session.printer.finish()?;
    Ok(outcome)
}

async fn ask(session: &mut Session, verb: RequestVerb) -> Result<Outcome, Failure> {
    match verb {
        RequestVerb::FindSimilar(args) => find::run(session, FindKind::Similar, args).await,
        RequestVerb::Containing(args) => find::run(session, FindKind::Containing, args).await,
        RequestVerb::ContainedIn(args) => find::run(session, FindKind::Contained, args).await,
        RequestVerb::Versions(args) => versions::run(session, args).await,
        RequestVerb::Compare(args) => compare::run(session, args).await,
        RequestVerb::Calibrate(args) => calibrate::run(session, &args).await,
        RequestVerb::Sampling(args) => sampling::run(session, &args).await,
        RequestVerb::Judge { verb } => judge::run(session, verb).await,
        RequestVerb::Pairs(args) => pairs::run(session, args).await,
        RequestVerb::Groups(args) => groups::run(session, args).await,
        RequestVerb::Folders(args) => folders::run(session, args).await,
        RequestVerb::Templates(args) => templates::run(session, args).await,
        RequestVerb::Status => status::run(session).await,
        RequestVerb::Files(args) => files::run(session, args).await,
        RequestVerb::Show { file, completeness } => show::run(session, &file, &completeness).await,
        RequestVerb::Roots { verb } => roots::run(session, verb).await,
        RequestVerb::Rescan { roots } => rescan::run(session, &roots).await,
        RequestVerb::Sync => sync::run(session).await,
        RequestVerb::Watch(args) => watch::run(session, args).await,
        RequestVerb::Report(args) => report::run(session, *args).await,
    }
}

impl Session {
    /// With `--wait`, waits until the index is complete; with `--strict`, makes later requests fail while it is not.
    async fn apply_completeness_flags(&mut self, args: &CompletenessArgs) -> Result<(), Failure> {
        self.client = self.client.clone().strict(args.strict);
        if args.wait {
            let what = "waiting until the index is complete";
            waiting(what, self.client.wait()).await?;
        }
        Ok(())
    }

    /// Prints what the index lacks and leaves out, one line each on stderr; nothing with `--json`.
    fn warn_if_incomplete(&self, completeness: Option<&wire::Completeness>) {
        let Some(completeness) = completeness.filter(|_| !self.printer.is_json()) else {
            return;
        };
        let completeness = Completeness::from(completeness);
        completeness.left_out().into_iter().for_each(eprint_line);
        if let Some(pending) = completeness.pending {
            let advice = pending.advice();
            eprint_line(format!("the index is not complete: {pending}; {advice}"));
        }
    }

    /// Says of files below a root whose bytes were sent that the answer is not that of the index; call once the daemon
    /// has been asked.
    fn tell_sent(&self) {
        for path in self.client.take_sent() {
            let path = escaped(&path_bytes(&path));
            eprint_line(format!(
                "{path} is not in the index, though it is below a root: its bytes were sent"
            ));
        }
    }

    /// The ids of the roots at `paths`.
    async fn root_ids(&self, paths: &[PathBuf]) -> Result<Vec<u32>, Failure> {
        let roots = self.client.roots_at(paths).await?;
        Ok(roots.iter().map(|root| root.id).collect())
    }

    /// Prints the first `limit` items of a stream; returns their number and the summary.
    async fn print<R, T>(
        &mut self,
        listing: ItemStream<R>,
        limit: Option<u64>,
        as_record: impl FnMut(R::Item) -> T,
    ) -> Result<(u64, R::Summary), Failure>
    where
        R: Reply,
        T: Record,
    {
        self.print_without(&[], listing, limit, as_record).await
    }

    /// Like [`print`](Self::print), without the columns in `headers`.
    async fn print_without<R, T>(
        &mut self,
        headers: &[&str],
        listing: ItemStream<R>,
        limit: Option<u64>,
        as_record: impl FnMut(R::Item) -> T,
    ) -> Result<(u64, R::Summary), Failure>
    where
        R: Reply,
        T: Record,
    {
        let bar = ListBar::new();
        self.print_with_progress(&bar, headers, listing, limit, as_record)
            .await
    }

    /// Like [`print_without`](Self::print_without), beside a line that says how far the list is.
    async fn print_with_progress<R, T>(
        &mut self,
        bar: &ListBar,
        headers: &[&str],
        mut listing: ItemStream<R>,
        limit: Option<u64>,
        mut as_record: impl FnMut(R::Item) -> T,
    ) -> Result<(u64, R::Summary), Failure>
    where
        R: Reply,
        T: Record,
    {
        let limit = limit.unwrap_or(u64::MAX);
        let mut printed = 0;
        let mut list = self.printer.list::<T>().without(headers);
        let mut last = LastListed::default();
        while printed < limit {
            let item = listing.next().await;
            let Some(item) = item.map_err(|error| last.broken(error, R::CONTINUES))? else {
                break;
            };
            let record = as_record(item);
            bar.beside(|| list.record(&record))?;
            last.note(record);
            printed += 1;
        }
        bar.beside(|| list.end())?;
        Ok((printed, listing.summary().await?))
    }

    /// Prints the counts that close a list.
    fn print_summary(&mut self, summary: &Summary) -> Result<(), Failure> {
        let completeness = summary.completeness.as_ref();
        let sentence = summary_sentence(summary);
        let line = lines::Summary::from(summary);
        let promise = line.promise.as_ref();
        let promise = promise.map(|promise| promise.sentence(is_complete(completeness)));
        self.print_summary_line(&line, &sentence, promise.as_deref(), completeness)
    }

    /// Prints, for people, how rarely the answer lacks something that was asked for.
    fn tell_promise(
        &self,
        promise: Option<&wire::Promise>,
        completeness: Option<&wire::Completeness>,
    ) {
        if let (Some(promise), false) = (promise, self.printer.is_json()) {
            eprint_line(Promise::from(promise).sentence(is_complete(completeness)));
        }
    }

    /// Prints, for people, how many results of a list are judged if only the first were to be.
    fn remark_first_judged(&self, first: &FirstJudged, what: &str) {
        let remark = first.remark(what).filter(|_| !self.printer.is_json());
        remark.into_iter().for_each(eprint_line);
    }

    /// Prints, for people, how many listed results were not judged because time ran out, and what helps.
    fn remark_unjudged(&self, unjudged: Option<u64>, what: &str, advice: &str) {
        if let (Some(left @ 1..), false) = (unjudged, self.printer.is_json()) {
            let left = counted(left, what);
            eprint_line(format!("{left} not judged in the time allowed; {advice}"));
        }
    }

    /// Prints the summary of a list: a line with `--json`; otherwise a sentence, and a remark if there is one.
    fn print_summary_line(
        &mut self,
        line: &impl Body,
        sentence: &str,
        remark: Option<&str>,
        completeness: Option<&wire::Completeness>,
    ) -> Result<(), Failure> {
        if self.printer.is_json() {
            self.printer.line(line)?;
        } else {
            eprint_line(sentence);
            remark.into_iter().for_each(eprint_line);
        }
        self.warn_if_incomplete(completeness);
        Ok(())
    }
}

/// The last records of a list, to say where it can be resumed if it breaks off.
struct LastListed<T> {
    last: Option<T>,
    before: Option<T>,
}

impl<T> Default for LastListed<T> {
    fn default() -> Self {
        let (last, before) = (None, None);
        Self { last, before }
    }
}

impl<T: Tabular> LastListed<T> {
    fn note(&mut self, record: T) {
        self.before = self.last.replace(record);
    }

    /// The failure of a list that broke off; if records may come in parts, the last one may not be whole.
    fn broken(&self, error: Error, in_parts: bool) -> Failure {
        let whole = if in_parts { &self.before } else { &self.last };
        let place = whole.as_ref().map(Tabular::place).unwrap_or_default();
        if place.is_empty() {
            return error.into();
        }
        let words: Vec<String> = place.into_iter().map(shell_word).collect();
        let after = words.join(" ");
        Failure::ListBroken { error, after }
    }
}

/// Whether an answer is complete, as far as the daemon says.
fn is_complete(completeness: Option<&wire::Completeness>) -> bool {
    completeness.is_none_or(|completeness| completeness.complete)
}

/// The absolute display path of FILE; `None` for `-`, standard input.
fn path_unless_stdin(file: &Path) -> Result<Option<PathBuf>, Failure> {
    let named = file.as_os_str() != "-";
    Ok(named.then(|| shown(file)).transpose()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: &[u8], b: &[u8]) -> wire::Pair {
        wire::Pair {
            a: a.to_vec(),
            b: b.to_vec(),
            ..wire::Pair::default()
        }
    }

    #[test]
    fn a_list_that_breaks_off_says_where_it_goes_on() {
        let mut last = LastListed::default();
        let said = |last: &LastListed<_>| last.broken(Error::Incomplete, false).to_string();
        assert!(!said(&last).contains("--after"), "nothing was listed");
        last.note(pair(b"/s/a.txt", b"/s/b.txt"));
        last.note(pair(b"/s/it's.txt", b"/s/\xff b.txt"));
        let expected = "the answer broke off before its end; \
             `--after '/s/it'\\''s.txt' $'/s/\\xff b.txt'` continues from there";
        assert_eq!(said(&last), expected);
    }

    #[test]
    fn a_group_of_which_a_part_may_lack_is_listed_again() {
        let group = |path: &[u8]| wire::Group {
            members: vec![wire::Member {
                path: path.to_vec(),
                ..wire::Member::default()
            }],
            ..wire::Group::default()
        };
        let mut last = LastListed::default();
        last.note(group(b"/s/a.txt"));
        let said = |last: &LastListed<_>| last.broken(Error::Incomplete, true).to_string();
        assert!(!said(&last).contains("--after"));
        last.note(group(b"/s/b.txt"));
        assert!(
            said(&last).contains("`--after /s/a.txt`"),
            "{}",
            said(&last)
        );
    }
}
