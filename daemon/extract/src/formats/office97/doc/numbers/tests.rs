//! Numbered paragraphs of documents made here.

use proptest::prelude::*;

use super::*;

const TEXT: usize = 1024;
const PAGE: usize = 1536;

fn put(bytes: &mut [u8], at: usize, piece: &[u8]) {
    bytes[at..at + piece.len()].copy_from_slice(piece);
}

fn words(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A level: where it starts, its format, and its text, in which `\0` is the number of the first one.
fn level(start: u8, format: u8, text: &str) -> Vec<u8> {
    let mut level = vec![0; 28];
    level[0] = start;
    level[4] = format;
    level[24] = 1;
    // A change that is passed over.
    level.push(0xff);
    let text: Vec<u16> = text.encode_utf16().collect();
    level.extend(words(&[text.len() as u16]));
    level.extend(words(&text));
    level
}

/// A paragraph style that rests on another, with its changes.
fn style(base: u16, changes: &[u8]) -> Vec<u8> {
    let mut style = words(&[0, base << 4 | 1, 1, 0, 0, 1, u16::from(b'N'), 0]);
    style.extend(words(&[2 + changes.len() as u16, 0]));
    style.extend(changes);
    let mut whole = words(&[style.len() as u16]);
    whole.extend(&style);
    whole.resize(whole.len().next_multiple_of(2), 0);
    whole
}

/// The main stream and the table: six paragraphs of ten characters, of which two get their number by
/// their style, and a list of two levels with an instance that begins anew.
fn document() -> (Vec<u8>, Vec<u8>) {
    let (mut main, mut table) = (vec![0; PAGE + 512], Vec::new());
    put(&mut main, 2, &[0xc1, 0]);
    let mut add = |number: usize, piece: &[u8], counted: usize| {
        let place = [table.len() as u32, counted as u32].map(u32::to_le_bytes);
        put(&mut main, 154 + 8 * number, &place.concat());
        table.extend(piece);
    };
    let styles = [
        words(&[4, 3, 10]),
        style(0xfff, &[]),
        style(2, &[0x0a, 0x26, 1]),
        style(0xfff, &[0x0b, 0x46, 1, 0]),
    ]
    .concat();
    add(1, &styles, styles.len());
    let pages: Vec<u8> = [TEXT, TEXT + 60, PAGE / 512]
        .iter()
        .flat_map(|word| (*word as u32).to_le_bytes())
        .collect();
    add(13, &pages, pages.len());
    let mut lists = words(&[2]);
    for (id, is_simple) in [(7, 0), (8, 1)] {
        let mut head = vec![0; 28];
        (head[0], head[26]) = (id, is_simple);
        lists.extend(head);
    }
    let heads = lists.len();
    lists.extend(level(1, 1, "\0."));
    lists.extend(level(1, 4, "\0(\u{1})"));
    (2..9).for_each(|_| lists.extend(level(1, 0, "")));
    lists.extend(level(1, BULLETS, "o"));
    add(73, &lists, heads);
    let mut instances = vec![3, 0, 0, 0];
    for (id, changes) in [(7, 0), (8, 0), (7, 1)] {
        let mut head = vec![0; 16];
        (head[0], head[12]) = (id, changes);
        instances.extend(head);
    }
    instances.extend([0; 12]);
    instances.extend([9, 0, 0, 0, 0x10, 0, 0, 0]);
    add(74, &instances, instances.len());
    put(&mut main, PAGE, &page());
    put(&mut main, 0, &[0xec, 0xa5]);
    (main, table)
}

const BULLETS: u8 = 23;

/// Paragraphs: of an instance, by style, by style, of a bullet, of the instance that begins anew, and
/// none.
fn page() -> Vec<u8> {
    let mut page: Vec<u8> = (0..7)
        .flat_map(|at| (TEXT as u32 + 10 * at).to_le_bytes())
        .collect();
    page.resize(512, 0);
    let own = |instance| [5, 0, 0, 0x0a, 0x26, 0, 0x0b, 0x46, instance, 0];
    let said: [&[u8]; 6] = [
        &own(1),
        &[0, 1, 1, 0],
        &[0, 1, 1, 0],
        &own(2),
        &own(3),
        &own(0),
    ];
    for (at, said) in said.iter().enumerate() {
        let offset = 200 + 20 * at;
        page[28 + 13 * at] = (offset / 2) as u8;
        put(&mut page, offset, said);
    }
    page[511] = 6;
    page
}

fn labels(main: &[u8], table: &[u8]) -> Vec<(usize, Option<String>)> {
    let mut numbers = Numbers::parse(&Fib::parse(main).unwrap(), table, main);
    let all = numbers.within(&(0..main.len()));
    all.map(|number| (numbers.place(number) - TEXT, numbers.label(number)))
        .collect()
}

#[test]
fn paragraphs_are_numbered_by_themselves_or_by_their_style() {
    let (main, table) = document();
    let labels = labels(&main, &table);
    let expected = [
        (0, Some("I. ")),
        (10, Some("I(a) ")),
        (20, Some("I(b) ")),
        (30, None),
        (40, Some("IX. ")),
    ];
    let labels: Vec<_> = labels
        .iter()
        .map(|(at, label)| (*at, label.as_deref()))
        .collect();
    assert_eq!(labels, expected);
}

proptest! {
    #[test]
    fn damage_is_survived(at in 0_usize..2048, value: u8, cut in 0_usize..600, in_table: bool) {
        let (mut main, mut table) = document();
        let damaged = if in_table { &mut table } else { &mut main };
        let at = at % damaged.len();
        damaged[at] = value;
        table.truncate(table.len().saturating_sub(cut / 2));
        if let Some(fib) = Fib::parse(&main) {
            let mut numbers = Numbers::parse(&fib, &table, &main);
            for number in numbers.within(&(0..usize::MAX)) {
                numbers.label(number);
            }
        }
    }
}
