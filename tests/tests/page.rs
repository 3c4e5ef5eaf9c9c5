//! The page of a report in a real browser: search, sort, pages, a narrow and a dark screen, hostile names.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use simdex_tests::browser::Browser;
use simdex_tests::sandbox::Sandbox;

/// Groups of three files: more than one page of the list, and of the report, holds.
const GROUPS: usize = 230;

/// The group of which one file has a chapter elsewhere.
const MOVED: usize = GROUPS - 1;

const HOSTILE: &str = "<img src=x onerror=\"document.title='owned'\">";

/// A text of its own for each group.
fn text(group: usize) -> String {
    let mut text = String::new();
    for line in 0..12 {
        let word = (group * 7919 + line * 104_729) % 1_000_003;
        let _ = writeln!(text, "Item {word} of file {group} is due on day {line}.");
    }
    text
}

/// Two texts of which one has a chapter elsewhere, in lines of another width.
fn moved() -> [String; 2] {
    let words = |chapter: usize| (0..80).map(move |at| format!("c{chapter}w{}", at * at % 997));
    let text = |order: [usize; 6], width: usize| -> String {
        let words: Vec<String> = order.into_iter().flat_map(words).collect();
        words
            .chunks(width)
            .map(|line| line.join(" ") + "\n")
            .collect()
    };
    [text([0, 1, 2, 3, 4, 5], 10), text([0, 2, 3, 4, 1, 5], 8)]
}

fn files(sandbox: &Sandbox) -> Result<()> {
    let [before, after] = moved();
    for (name, text) in [("a", &before), ("b", &before), ("c", &after)] {
        sandbox.write(format!("{MOVED:03}-{name}.txt"), text)?;
    }
    for group in 0..MOVED {
        sandbox.write(format!("{group:03}-a.txt"), text(group))?;
        sandbox.write(format!("{group:03}-b.txt"), text(group))?;
        let changed = text(group).replace("on day 11", "on day 12");
        sandbox.write(format!("{group:03}-c.txt"), changed)?;
    }
    let name = format!("007-needle {}.txt", HOSTILE.replace('/', ""));
    sandbox.write(name, text(7))?;
    Ok(())
}

/// What the page says of its list.
fn status(browser: &Browser) -> Result<String> {
    let said = browser.run("return document.getElementById('shown').textContent")?;
    Ok(said.as_str().unwrap_or_default().to_owned())
}

fn rows(browser: &Browser) -> Result<u64> {
    let rows = browser.run("return document.querySelectorAll('#groups tbody tr').length")?;
    rows.as_u64().context("a number")
}

/// Search by the keyboard alone; a member's path is found too, and no name is run as markup.
fn search(browser: &Browser) -> Result<()> {
    let wanted = format!("1 to 100 of {GROUPS} groups");
    ensure!(status(browser)? == wanted, "{}", status(browser)?);
    ensure!(rows(browser)? == 100);
    browser.press("/needle IMG")?;
    let wanted = format!("1 to 1 of 1 group, of {GROUPS} in all");
    ensure!(status(browser)? == wanted, "{}", status(browser)?);
    let row = browser.run("return document.querySelector('#groups tbody tr').textContent")?;
    let row = row.as_str().unwrap_or_default();
    ensure!(row.contains("007-needle <img"), "{row}");
    ensure!(browser.run("return document.images.length")? == 0);
    browser.run("let s = document.getElementById('search'); s.value = ''; s.dispatchEvent(new Event('input'))")?;
    ensure!(rows(browser)? == 100);
    Ok(())
}

/// Sorting is said to readers of the screen, and the list has pages.
fn sort_and_turn(browser: &Browser) -> Result<()> {
    browser.click("th button[data-column='3']")?;
    let sorted = browser.run(
        "return document.querySelector('th[aria-sort]').textContent + ' ' + \
         document.querySelector('th[aria-sort]').ariaSort",
    )?;
    ensure!(sorted == "Files descending", "{sorted}");
    let first = browser.run("return document.querySelector('#groups tbody tr').textContent")?;
    ensure!(
        first.as_str().is_some_and(|row| row.contains("/007-")),
        "{first}"
    );
    browser.click("#next")?;
    browser.click("#next")?;
    ensure!(browser.run("return document.getElementById('sort').offsetHeight")? == 0);
    ensure!(rows(browser)? == GROUPS as u64 - 200);
    // The focus goes where the list can still be turned to.
    let off = browser.run("return [next.disabled, back.disabled, document.activeElement.id]")?;
    ensure!(off == json!([true, false, "back"]), "{off}");
    Ok(())
}

/// A group on a later page is one click away, and that page leads back. The last group is the one that moved.
fn follow(browser: &Browser) -> Result<()> {
    browser.click("#groups tbody tr:nth-last-child(2) a")?;
    let address = browser.address()?;
    ensure!(address.contains("report-0002.html#g"), "{address}");
    let shown = browser.run(
        "let it = document.querySelector(':target'); return it.tagName + ' ' + it.querySelectorAll('.cards tr').length",
    )?;
    ensure!(shown == "SECTION 4", "{shown}");
    browser.click("section.group:target summary")?;
    let marked = browser
        .run("return document.querySelector(':target ins').getBoundingClientRect().width")?;
    ensure!(marked.as_f64() > Some(0.0), "the difference is not shown");
    browser.click("nav.pages a[href='report.html#list']")?;
    let address = browser.address()?;
    ensure!(address.ends_with("report.html#list"), "{address}");
    Ok(())
}

/// A chapter that moved is marked in both columns, and said in words where it came from and went to.
fn moved_is_marked(browser: &Browser) -> Result<()> {
    browser.press(&format!("/{MOVED:03}-c"))?;
    browser.click("#groups tbody tr a")?;
    browser.click("section.group:target summary")?;
    let marked = browser.run(
        "return [...document.querySelectorAll(':target .moved')].map(\
         it => it.closest('td').cellIndex + ' ' + it.innerText.split(' ').slice(0, 5).join(' ') + ' ' + \
         (it.getBoundingClientRect().width > 0))",
    )?;
    let expected = json!([
        "3 moved from line 41 c1w0 true",
        "1 moved to line 9 c1w0 true"
    ]);
    ensure!(marked == expected, "{marked}");
    browser.click("nav.pages a[href='report.html#list']")?;
    Ok(())
}

/// Nothing is wider than a screen of this width, on which the page stays.
fn fits(browser: &Browser, width: u64) -> Result<()> {
    let screen = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": true});
    browser.devtools("Emulation.setDeviceMetricsOverride", &screen)?;
    let needed = browser.run("return document.documentElement.scrollWidth")?;
    ensure!(
        needed.as_u64() <= Some(width),
        "{needed} wide on a screen of {width}"
    );
    Ok(())
}

/// Nothing is wider than a telephone, and a dark screen stays dark.
fn narrow_and_dark(browser: &Browser) -> Result<()> {
    fits(browser, 420)?;
    let unseen = browser.run(
        "return [...document.querySelectorAll('a[href], button, input, select')].filter(it => !it.disabled \
         && it.className !== 'skip' && it.checkVisibility() && it.getBoundingClientRect().right <= 0).length",
    )?;
    ensure!(unseen == 0, "{unseen} controls are reached and not seen");
    let sorted = browser.run(
        "let sort = document.getElementById('sort'), files = () => \
         document.querySelector('#groups td[data-is=Files]').textContent; \
         let by = (choice) => { sort.value = choice; sort.dispatchEvent(new Event('change')); return files(); }; \
         return [sort.offsetHeight > 0, by('3-') > by('3+'), sort.value, sort.options.length, by('') !== '']",
    )?;
    ensure!(sorted == json!([true, true, "3+", 11, true]), "{sorted}");
    let dark = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    browser.devtools("Emulation.setEmulatedMedia", &dark)?;
    let colours = browser.run(
        "let s = getComputedStyle(document.body); return [s.backgroundColor, s.color].map(\
         c => c.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0))",
    )?;
    let (paper, ink) = (colours[0].as_u64(), colours[1].as_u64());
    ensure!(paper < Some(150) && ink > Some(600), "{colours}");
    Ok(())
}

/// Each control has a label, each plot a sentence, each column a heading.
fn accessible(browser: &Browser) -> Result<()> {
    let bare = browser.run(
        "return [...document.querySelectorAll('input, select')].filter(it => !it.labels.length).length \
         + [...document.querySelectorAll('svg')].filter(it => !it.ariaLabel || it.role !== 'img').length \
         + [...document.querySelectorAll('thead th')].filter(it => !it.textContent.trim()).length",
    )?;
    ensure!(bare == 0, "{bare} without a name");
    ensure!(browser.run("return document.querySelectorAll('svg').length")? == 3);
    // A link that is alike on every row says by its name where it leads.
    let vague = browser.run(
        "let links = [...document.querySelectorAll('section.group a')]; \
         let name = (it) => it.ariaLabel || it.textContent; \
         return links.filter(it => !name(it).includes(it.getAttribute('href'))).map(name) \
         .concat(new Set(links.map(name)).size < 2 ? ['few'] : [])",
    )?;
    ensure!(vague == json!([]), "{vague}");
    Ok(())
}

/// Copies of a protected text: one with a name that is long, one that is hostile, and one that was edited.
fn leaked(sandbox: &Sandbox) -> Result<PathBuf> {
    let vault = sandbox.beside("vault").join("v".repeat(120));
    fs::create_dir_all(&vault)?;
    let vault = vault.canonicalize()?;
    fs::write(vault.join("secret.txt"), text(1))?;
    sandbox.write(format!("{}/copy.txt", "n".repeat(200)), text(1))?;
    sandbox.write(format!("needle {}.txt", HOSTILE.replace('/', "")), text(1))?;
    let edited = text(1).replace("on day 11", "on day 12");
    let edited = sandbox.write("edited.txt", edited)?;
    let old = SystemTime::now() - Duration::from_secs(300 * 86_400);
    File::options()
        .write(true)
        .open(edited)?
        .set_modified(old)?;
    Ok(vault)
}

/// What the page says of its findings, and the rows it shows.
fn found(browser: &Browser) -> Result<(String, u64)> {
    let rows = browser.run(
        "return [...document.querySelectorAll('#findings tbody tr')].filter(it => it.offsetHeight > 0).length",
    )?;
    Ok((status(browser)?, rows.as_u64().context("a number")?))
}

/// Findings are searched by the keyboard alone, and chosen by their relation and owner.
fn search_findings(browser: &Browser) -> Result<()> {
    let all = ("3 findings".to_owned(), 3);
    ensure!(found(browser)? == all, "{:?}", found(browser)?);
    browser.press("/NEEDLE img")?;
    let one = ("1 of 3 findings".to_owned(), 1);
    ensure!(found(browser)? == one, "{:?}", found(browser)?);
    ensure!(browser.run("return document.images.length")? == 0);
    let set = |id: &str, value: &str, event: &str| {
        browser.run(&format!(
            "let it = document.getElementById('{id}'); it.value = {value}; it.dispatchEvent(new Event('{event}'))"
        ))
    };
    set("search", "''", "input")?;
    ensure!(found(browser)? == all, "{:?}", found(browser)?);
    set("relation", "'near-duplicate'", "change")?;
    ensure!(found(browser)? == one, "{:?}", found(browser)?);
    set("relation", "''", "change")?;
    set("owner", "it.options[1].value", "change")?;
    ensure!(found(browser)? == all, "{:?}", found(browser)?);
    set("search", "'nowhere'", "input")?;
    let none = ("0 of 3 findings".to_owned(), 0);
    ensure!(found(browser)? == none, "{:?}", found(browser)?);
    Ok(())
}

#[test]
fn the_page_of_each_question_fits_any_screen_and_is_searched() -> Result<()> {
    let Some(browser) = Browser::start()? else {
        eprintln!("skipped, this machine has no Chromium with ChromeDriver");
        return Ok(());
    };
    let sandbox = Sandbox::new()?;
    let vault = leaked(&sandbox)?;
    let roots = [(sandbox.share(), "auto"), (&vault, "auto")];
    let daemon = sandbox.serve().roots(roots).start()?;
    daemon.sync()?;
    let secret = vault.join("secret.txt");
    let (vault, secret) = (
        vault.to_str().context("a path")?,
        secret.to_str().context("a path")?,
    );
    for (kind, parameters) in [
        ("copies-of", vec![secret]),
        ("stale-versions", vec!["--older-than", "30d"]),
        ("leak", vec!["--protected", vault]),
        ("duplicates", vec![]),
    ] {
        let out = sandbox.beside(kind);
        let to = out.to_str().context("a path")?;
        let mut asked = vec!["report", "--kind", kind, "--out", to];
        asked.extend(parameters);
        daemon.simctl(asked)?.success()?;
        browser.open(&out.join("report.html"))?;
        let rows = browser.run("return document.querySelectorAll('#findings tbody tr').length")?;
        ensure!(rows.as_u64() > Some(0), "{kind} found nothing");
        for width in [1_200, 800, 420] {
            fits(&browser, width).context(kind)?;
        }
        // On the narrow screen no cell is reached by scrolling alone.
        let hidden = browser.run(
            "let it = document.querySelector('#findings').parentElement; return it.scrollWidth - it.clientWidth",
        )?;
        ensure!(hidden == 0, "{kind} hides {hidden}");
        if kind == "leak" {
            search_findings(&browser)?;
        }
    }
    let said = browser.console()?;
    ensure!(said.is_empty(), "{said:?}");
    ensure!(daemon.stop()?.success());
    Ok(())
}

#[test]
fn the_page_is_searched_sorted_and_read_on_any_screen() -> Result<()> {
    let Some(browser) = Browser::start()? else {
        eprintln!("skipped, this machine has no Chromium with ChromeDriver");
        return Ok(());
    };
    let sandbox = Sandbox::new()?;
    files(&sandbox)?;
    let daemon = sandbox.serve().start()?;
    daemon.sync()?;
    let out = sandbox.beside("report");
    daemon
        .simctl(["report", "--out", out.to_str().context("a path")?])?
        .success()?;
    browser.open(&out.join("report.html"))?;
    let title = browser.run("return document.title")?;
    accessible(&browser)?;
    search(&browser)?;
    sort_and_turn(&browser)?;
    follow(&browser)?;
    moved_is_marked(&browser)?;
    narrow_and_dark(&browser)?;
    ensure!(browser.run("return document.title")? == title);
    let said = browser.console()?;
    ensure!(said.is_empty(), "{said:?}");
    ensure!(daemon.stop()?.success());
    Ok(())
}
