//! A TrueType font made of the tables that say what its glyphs are.

/// A font with this many glyphs, with a character map, and with names if there are any.
pub(super) fn font(glyphs: u16, characters: &[(char, u32)], names: &[&str]) -> Vec<u8> {
    let mut tables = vec![
        (*b"cmap", cmap(characters)),
        (*b"head", head()),
        (
            *b"maxp",
            [&0x5000_u32.to_be_bytes()[..], &glyphs.to_be_bytes()].concat(),
        ),
    ];
    if !names.is_empty() {
        tables.push((*b"post", post(names)));
    }
    file(&tables)
}

/// A font with this many glyphs that draw nothing, and mean nothing.
pub(super) fn blank(glyphs: u16) -> Vec<u8> {
    let mut header = vec![0; 36];
    header[35] = 1;
    let count = usize::from(glyphs);
    let mut profile = vec![0; 32];
    profile[..4].copy_from_slice(&0x0001_0000_u32.to_be_bytes());
    profile[4..6].copy_from_slice(&glyphs.to_be_bytes());
    file(&[
        (*b"cmap", cmap(&[])),
        (*b"glyf", vec![0]),
        (*b"head", head()),
        (*b"hhea", header),
        (*b"hmtx", vec![0; 4 + 2 * (count - 1)]),
        (*b"loca", vec![0; 2 * (count + 1)]),
        (*b"maxp", profile),
    ])
}

/// Tables after their directory.
fn file(tables: &[([u8; 4], Vec<u8>)]) -> Vec<u8> {
    let count = u16::try_from(tables.len()).unwrap();
    let mut file = [
        &0x0001_0000_u32.to_be_bytes()[..],
        &count.to_be_bytes(),
        &[0; 6],
    ]
    .concat();
    let mut at = 12 + 16 * tables.len();
    for (tag, table) in tables {
        file.extend(tag);
        for number in [0, at, table.len()] {
            file.extend(u32::try_from(number).unwrap().to_be_bytes());
        }
        at += table.len();
    }
    tables.iter().for_each(|(_, table)| file.extend(table));
    file
}

/// One map of the whole of Unicode (OpenType, `cmap`, format 12), a group for each character.
fn cmap(characters: &[(char, u32)]) -> Vec<u8> {
    let mut characters = characters.to_vec();
    characters.sort_unstable();
    let count = u32::try_from(characters.len()).unwrap();
    let mut table: Vec<u8> = [0_u16, 1, 3, 10, 0, 12, 12, 0]
        .into_iter()
        .flat_map(u16::to_be_bytes)
        .collect();
    let mut numbers = vec![16 + 12 * count, 0, count];
    numbers.extend(
        characters
            .iter()
            .flat_map(|(c, glyph)| [*c as u32, *c as u32, *glyph]),
    );
    table.extend(numbers.into_iter().flat_map(u32::to_be_bytes));
    table
}

/// A thousand units are the height of the font.
fn head() -> Vec<u8> {
    let mut table = vec![0; 54];
    table[..4].copy_from_slice(&0x0001_0000_u32.to_be_bytes());
    table[12..16].copy_from_slice(&0x5f0f_3cf5_u32.to_be_bytes());
    table[18..20].copy_from_slice(&1000_u16.to_be_bytes());
    table
}

/// Names of all glyphs (format 2); none of them is a standard one.
fn post(names: &[&str]) -> Vec<u8> {
    let count = u16::try_from(names.len()).unwrap();
    let mut table = 0x0002_0000_u32.to_be_bytes().to_vec();
    table.extend([0; 28]);
    table.extend(count.to_be_bytes());
    table.extend((0..count).flat_map(|at| (258 + at).to_be_bytes()));
    for name in names {
        table.push(u8::try_from(name.len()).unwrap());
        table.extend(name.bytes());
    }
    table
}
