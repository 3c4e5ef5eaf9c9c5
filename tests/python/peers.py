"""What other programs make of the postings and queries that `bench peers` wrote into a folder.

Usage: peers.py FOLDER. Prints one JSON object a line: a figure with `name`, `value` and `unit`, or a `note`.
Needs numpy, and measures those of duckdb, sourmash, datasketch, rensa and gaoya that are installed.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy

# A fingerprint in more documents than this is template text, and joins no pairs.
MOST_HOLDERS = 200
THRESHOLD = 0.8
# Of 128 permutations: 16 bands of 8, which finds nearly all at the threshold.
PERMUTATIONS, BANDS = 128, 16


def figure(name, value, unit):
    print(json.dumps({"name": name, "value": value, "unit": unit}), flush=True)


def note(text):
    print(json.dumps({"note": text}), flush=True)


def split(values, ends):
    """The parts of an array that end where `ends` says."""
    return [values[begin:end] for begin, end in zip([0, *ends[:-1]], ends)]


class Corpus:
    """Postings by document, queries, and for each query the documents that resemble it at the threshold."""

    def __init__(self, folder):
        read = lambda name, kind: numpy.fromfile(folder / name, dtype=kind)
        self.fingerprints = read("fingerprints.u64", "<u8")
        self.documents = read("documents.u32", "<u4")
        ends = numpy.flatnonzero(numpy.diff(self.documents)) + 1
        self.by_document = split(self.fingerprints, [*ends, len(self.documents)])
        self.ids = [int(self.documents[begin]) for begin in [0, *ends]]
        self.queries = split(read("queries.u64", "<u8"), read("query_ends.u64", "<u8"))
        truth = split(read("truth.u32", "<u4"), read("truth_ends.u64", "<u8"))
        self.truth = [set(part.tolist()) for part in truth]


def percentiles(name, times):
    figure(f"{name}, p50", statistics.median(times) * 1e3, "ms")
    figure(f"{name}, p99", sorted(times)[int(len(times) * 0.99)] * 1e3, "ms")


def ask(name, corpus, answer):
    """Asks all queries twice; times and recall are those of the second round."""
    for _ in range(2):
        times, right, all_ = [], 0, 0
        for query, truth in zip(corpus.queries, corpus.truth):
            begin = time.perf_counter()
            found = answer(query)
            times.append(time.perf_counter() - begin)
            right += len(truth & found)
            all_ += len(truth)
    percentiles(f"{name}: warm query", times)
    figure(f"{name}: recall at {THRESHOLD}", right / max(all_, 1), "")


def duckdb_join(corpus):
    import duckdb

    connection = duckdb.connect()
    connection.execute("set threads to 2")
    columns = {"fingerprint": corpus.fingerprints, "document": corpus.documents}
    connection.register("columns", columns)
    connection.execute("create table postings as select * from columns")
    begin, processor = time.perf_counter(), time.process_time()
    pairs = connection.execute(f"""
        with sizes as (select document, count(*) as size from postings group by document),
        selective as (
            select fingerprint, document from postings where fingerprint in (
                select fingerprint from postings group by fingerprint
                having count(*) between 2 and {MOST_HOLDERS})),
        shared as (
            select a.document as one, b.document as other, count(*) as shared
            from selective a join selective b
            on a.fingerprint = b.fingerprint and a.document < b.document
            group by one, other)
        select count(*) from shared
        join sizes s on s.document = one join sizes t on t.document = other
        where shared >= {THRESHOLD} * (s.size + t.size - shared)
    """).fetchone()[0]
    figure("DuckDB: all pairs", time.perf_counter() - begin, "s")
    figure("DuckDB: all pairs, processor time", time.process_time() - processor, "s")
    figure("DuckDB: pairs", pairs, "pairs")


def bytes_of(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return sum(path.stat().st_blocks * 512 for path in files)


def sourmash_index(corpus, folder):
    import sourmash
    from sourmash.sourmash_args import SaveSignaturesToLocation

    def signature(fingerprints, name):
        # A scale of 1 keeps every hash: Mod_n has selected them already.
        hashes = sourmash.MinHash(n=0, ksize=31, scaled=1)
        hashes.add_many(fingerprints)
        return sourmash.SourmashSignature(hashes, name=name)

    signatures, index = folder / "sourmash.zip", folder / "sourmash.rocksdb"
    with SaveSignaturesToLocation(str(signatures)) as save:
        for id_, fingerprints in zip(corpus.ids, corpus.by_document):
            save.add(signature(fingerprints, str(id_)))
    begin = time.perf_counter()
    command = "index -q -F rocksdb -k 31 --scaled 1".split()
    program = Path(sys.executable).with_name("sourmash")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, *command, index, signatures], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    figure("sourmash: index build from signatures", time.perf_counter() - begin, "s")
    figure("sourmash: index build, processor time", processor, "s")
    postings = len(corpus.fingerprints)
    figure("sourmash: disk", bytes_of(index) / postings, "bytes/posting")
    figure("sourmash: memory at most, building", after.ru_maxrss / 1e3, "MB")
    database = sourmash.load_file_as_index(str(index))

    def answer(query):
        asked = signature(query, "query")
        found = database.prefetch(asked, threshold_bp=0)
        return {int(each.signature.name) for each in found}

    ask("sourmash", corpus, answer)


def datasketch_lsh(corpus):
    from datasketch import MinHash, MinHashLSH

    def minhash(fingerprints):
        made = MinHash(num_perm=PERMUTATIONS)
        made.update_batch([each.tobytes() for each in fingerprints])
        return made

    begin = time.perf_counter()
    lsh = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)
    with lsh.insertion_session() as session:
        for id_, fingerprints in zip(corpus.ids, corpus.by_document):
            session.insert(id_, minhash(fingerprints))
    figure("datasketch MinHashLSH: build", time.perf_counter() - begin, "s")
    ask("datasketch MinHashLSH", corpus, lambda query: set(lsh.query(minhash(query))))


def words(fingerprints):
    return [str(each) for each in fingerprints.tolist()]


def rensa_lsh(corpus):
    from rensa import RMinHash, RMinHashLSH

    def minhash(fingerprints):
        made = RMinHash(num_perm=PERMUTATIONS, seed=1)
        made.update(words(fingerprints))
        return made

    begin = time.perf_counter()
    lsh = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=BANDS)
    for id_, fingerprints in zip(corpus.ids, corpus.by_document):
        lsh.insert(id_, minhash(fingerprints))
    figure("rensa RMinHashLSH: build", time.perf_counter() - begin, "s")
    ask("rensa RMinHashLSH", corpus, lambda query: set(lsh.query(minhash(query))))


def gaoya_index(corpus):
    from gaoya.minhash import MinHashStringIndex

    begin = time.perf_counter()
    index = MinHashStringIndex(
        jaccard_threshold=THRESHOLD,
        num_bands=BANDS,
        band_size=PERMUTATIONS // BANDS,
        analyzer="word",
    )
    for id_, fingerprints in zip(corpus.ids, corpus.by_document):
        index.insert_document(id_, " ".join(words(fingerprints)))
    figure("gaoya MinHashStringIndex: build", time.perf_counter() - begin, "s")
    answer = lambda query: set(index.query(" ".join(words(query))))
    ask("gaoya MinHashStringIndex", corpus, answer)


def main(folder):
    os.environ.setdefault("RAYON_NUM_THREADS", "2")
    corpus = Corpus(folder)
    peers = [
        ("duckdb", lambda: duckdb_join(corpus)),
        ("sourmash", lambda: sourmash_index(corpus, folder)),
        ("datasketch", lambda: datasketch_lsh(corpus)),
        ("rensa", lambda: rensa_lsh(corpus)),
        ("gaoya", lambda: gaoya_index(corpus)),
    ]
    for name, measure in peers:
        try:
            measure()
        except ImportError:
            note(f"{name} is not installed and was not measured")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
