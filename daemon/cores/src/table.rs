//! The inverted table: for each fingerprint, the documents that hold it.

/// A context: fingerprints as objects, documents as attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvertedTable {
    documents: u32,
    /// The documents of all rows, one row after the other, each ascending and distinct.
    held: Vec<u32>,
    /// Where each row ends.
    ends: Vec<usize>,
}

impl InvertedTable {
    /// A table of these rows; repeated documents in a row are dropped.
    pub fn from_rows(rows: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let mut table = Self::default();
        for mut row in rows {
            row.sort_unstable();
            row.dedup();
            table.push(row);
        }
        table
    }

    /// The table of images: of the first document, the second, and so on, each without repeats.
    pub fn from_images<'a>(images: impl IntoIterator<Item = &'a [u64]>) -> Self {
        let mut held = Vec::new();
        let mut documents = 0;
        for image in images {
            held.extend(image.iter().map(|&fingerprint| (fingerprint, documents)));
            documents += 1;
        }
        Self::from_pairs(held, documents)
    }

    /// The table of pairs of a fingerprint and a document below `documents`, in any order. Fingerprints of
    /// one document are left out: no core shares them.
    pub fn from_pairs(mut pairs: Vec<(u64, u32)>, documents: u32) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let rows = || {
            let rows = pairs.chunk_by(|a, b| a.0 == b.0);
            rows.filter(|row| row.len() > 1)
        };
        // Counted first: a growing list takes up to three times its content.
        let mut table = Self {
            documents: 0,
            held: Vec::with_capacity(rows().map(<[_]>::len).sum()),
            ends: Vec::with_capacity(rows().count()),
        };
        for row in rows() {
            table.push(row.iter().map(|(_, document)| *document));
        }
        table.documents = documents;
        table
    }

    fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        let from = self.held.len();
        self.held.extend(row);
        let beyond = self.held[from..].last().map_or(0, |last| last + 1);
        self.documents = self.documents.max(beyond);
        self.ends.push(self.held.len());
    }

    /// Number of documents, numbered from 0.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// For each fingerprint, the documents that hold it, ascending.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        (0..self.ends.len()).map(|at| self.row(at))
    }

    pub(crate) fn row(&self, at: usize) -> &[u32] {
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.held[from..self.ends[at]]
    }

    /// For each document, the rows that hold it: those with few documents first, then by index.
    pub(crate) fn images(&self) -> Vec<Vec<u32>> {
        let mut order: Vec<u32> = (0..self.ends.len() as u32).collect();
        order.sort_by_key(|&at| (self.row(at as usize).len(), at));
        let mut images = vec![Vec::new(); self.documents as usize];
        for at in order {
            for &document in self.row(at as usize) {
                images[document as usize].push(at);
            }
        }
        images
    }

    /// How many fingerprints all of these documents hold: their support, by the definition.
    pub fn support(&self, documents: &[u32]) -> usize {
        let holds = |row: &&[u32]| documents.iter().all(|of| row.binary_search(of).is_ok());
        self.rows().filter(holds).count()
    }

    /// The table of each of these disjoint sets, with its documents renumbered in their order. Rows with fewer than two
    /// documents of a set are left out of its table.
    pub fn split(&self, sets: &[Vec<u32>]) -> Vec<Self> {
        let mut places = vec![None; self.documents as usize];
        for (set, documents) in sets.iter().enumerate() {
            for (place, &document) in (0..).zip(documents) {
                places[document as usize] = Some((set, place));
            }
        }
        let mut tables = vec![Self::default(); sets.len()];
        for row in self.rows() {
            let mut own: Vec<(usize, u32)> = row
                .iter()
                .filter_map(|&document| places[document as usize])
                .collect();
            own.sort_unstable();
            for part in own
                .chunk_by(|a, b| a.0 == b.0)
                .filter(|part| part.len() > 1)
            {
                tables[part[0].0].push(part.iter().map(|(_, place)| *place));
            }
        }
        for (table, documents) in tables.iter_mut().zip(sets) {
            table.documents = documents.len() as u32;
        }
        tables
    }
}
