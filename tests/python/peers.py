"""One other program beside Simdex on the documents that `bench peers` wrote into a folder.

Usage: peers.py FOLDER PEER. Prints one JSON object: what `measure` measured, or `missing` with the name of a package
that is not installed. Needs numpy. Each program is one adapter, a subclass of `Peer`; all take the same steps.
"""

import importlib
import json
import math
import os
import resource
import subprocess
import sys
import threading
import time
from importlib.metadata import version
from pathlib import Path

try:
    import numpy
except ModuleNotFoundError as error:
    print(json.dumps({"missing": error.name}))
    sys.exit()

# A fingerprint in more documents than this is template text, and joins no pairs.
MOST_HOLDERS = 200
# More than the greatest family of versions has and, of 100,000 documents, less than a letterhead.
HOLDERS_OF_FAMILIES = 4096
# Bytes of memory and of temporary files, and seconds, that a join with so many holders may take.
JOIN_MEMORY, JOIN_FILES, JOIN_SECONDS = "6GB", "8GB", 600
THRESHOLD = 0.8
# Of 128 permutations: 16 bands of 8, which finds 95 % at the threshold and more above it.
PERMUTATIONS, BANDS = 128, 16


def split(values, ends):
    """The parts of an array that end where `ends` says."""
    return [values[begin:end] for begin, end in zip([0, *ends[:-1]], ends)]


class Corpus:
    """Fingerprints by document, the documents that are asked about, and those that are deleted."""

    def __init__(self, folder):
        read = lambda name, kind: numpy.fromfile(folder / name, dtype=kind)
        self.folder = folder
        self.fingerprints = read("fingerprints.u64", "<u8")
        self.ends = read("ends.u64", "<u8")
        self.by_document = split(self.fingerprints, self.ends)
        self.questions = {name: read(f"{name}.u32", "<u4").tolist() for name in ["similar", "containing"]}
        self.deleted = read("deleted.u32", "<u4").tolist()


class Peer:
    """What is asked of each program. What it can not do stays `None`."""

    package = None
    # Every pair of documents at the threshold, as an array of two columns.
    pairs = None
    # The same with fingerprints of whole families; `None` where it took too long or too much.
    pairs_of_families = None
    # Deletes documents.
    remove = None

    def prepare(self, corpus):
        """Brings the documents into the form that the program reads; not timed."""

    def build(self, corpus):
        """Indexes all documents."""
        raise NotImplementedError

    def similar(self, fingerprints):
        """The documents that resemble this one at the threshold."""
        raise NotImplementedError

    def containing(self, fingerprints):
        """The documents that contain this one; by default those that resemble it, as there is no other question."""
        return self.similar(fingerprints)

    def disk(self):
        """Bytes on disk; `None` of an index in memory."""


def bytes_of(path):
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(each.stat().st_blocks * 512 for each in files if each.is_file())


class DuckDb(Peer):
    """A table of postings: questions by a scan of it, pairs by joining it with itself."""

    package = "duckdb"

    def build(self, corpus):
        import duckdb

        self.file = corpus.folder / "peer.duckdb"
        self.connection = duckdb.connect(str(self.file))
        self.connection.execute("set threads to 2")
        lengths = numpy.diff(corpus.ends, prepend=0)
        columns = {
            "fingerprint": corpus.fingerprints,
            "document": numpy.repeat(numpy.arange(len(lengths), dtype="u4"), lengths.astype(int)),
        }
        self.connection.register("columns", columns)
        self.connection.execute("create table postings as select * from columns")
        self.connection.execute(
            "create table sizes as select document, count(*) as size from postings group by document"
        )
        self.connection.unregister("columns")
        self.connection.execute("checkpoint")

    def ask(self, fingerprints, condition):
        self.connection.register("question", {"fingerprint": fingerprints})
        found = self.connection.execute(f"""
            with counted as (
                select document, count(*) as shared from postings
                where fingerprint in (select fingerprint from question) group by document)
            select document from counted join sizes using (document) where {condition}
        """).fetchall()
        self.connection.unregister("question")
        return [document for document, in found]

    def similar(self, fingerprints):
        condition = f"shared >= {THRESHOLD} * (size + {len(fingerprints)} - shared)"
        return self.ask(fingerprints, condition)

    def containing(self, fingerprints):
        return self.ask(fingerprints, f"shared >= {THRESHOLD * len(fingerprints)}")

    def disk(self):
        return bytes_of(self.file)

    def pairs(self, most_holders=MOST_HOLDERS):
        found = self.connection.execute(f"""
            with selective as (
                select fingerprint, document from postings where fingerprint in (
                    select fingerprint from postings group by fingerprint
                    having count(*) between 2 and {most_holders})),
            shared as (
                select a.document as one, b.document as other, count(*) as shared
                from selective a join selective b
                on a.fingerprint = b.fingerprint and a.document < b.document
                group by one, other)
            select one, other from shared
            join sizes s on s.document = one join sizes t on t.document = other
            where shared >= {THRESHOLD} * (s.size + t.size - shared)
        """).fetchnumpy()
        return numpy.stack([found["one"], found["other"]], axis=1)

    def pairs_of_families(self):
        import duckdb

        self.connection.execute(f"set memory_limit = '{JOIN_MEMORY}'")
        self.connection.execute(f"set max_temp_directory_size = '{JOIN_FILES}'")
        timer = threading.Timer(JOIN_SECONDS, self.connection.interrupt)
        timer.start()
        try:
            return self.pairs(HOLDERS_OF_FAMILIES)
        except (duckdb.InterruptException, duckdb.OutOfMemoryException, duckdb.IOException):
            return None
        finally:
            timer.cancel()
            self.connection.execute("reset memory_limit")

    def remove(self, documents):
        for table in ["postings", "sizes"]:
            self.connection.execute(f"delete from {table} where document in (select unnest(?))", [documents])
        self.connection.execute("checkpoint")


class Sourmash(Peer):
    """An index on disk, from hashes to signatures, and the counts of it."""

    package = "sourmash"

    def signature(self, fingerprints, name):
        import sourmash

        # A scale of 1 keeps every hash: Mod_n has selected them already.
        hashes = sourmash.MinHash(n=0, ksize=31, scaled=1)
        hashes.add_many(fingerprints)
        return sourmash.SourmashSignature(hashes, name=name)

    def prepare(self, corpus):
        from sourmash.sourmash_args import SaveSignaturesToLocation

        self.signatures, self.index = corpus.folder / "sourmash.zip", corpus.folder / "sourmash.rocksdb"
        with SaveSignaturesToLocation(str(self.signatures)) as save:
            for number, fingerprints in enumerate(corpus.by_document):
                save.add(self.signature(fingerprints, str(number)))

    def build(self, corpus):
        import sourmash

        program = Path(sys.executable).with_name("sourmash")
        command = "index -q -F rocksdb -k 31 --scaled 1".split()
        subprocess.run([program, *command, self.index, self.signatures], check=True, stdout=subprocess.DEVNULL)
        self.database = sourmash.load_file_as_index(str(self.index))

    def ask(self, fingerprints, is_found):
        asked = self.signature(fingerprints, "question")
        # Neither ratio reaches the threshold with fewer hashes in common.
        matches = self.database.prefetch(asked, threshold_bp=math.ceil(THRESHOLD * len(fingerprints)))
        signatures = (match.signature for match in matches)
        return [int(each.name) for each in signatures if is_found(asked.minhash, each.minhash)]

    def similar(self, fingerprints):
        return self.ask(fingerprints, lambda asked, other: asked.jaccard(other) >= THRESHOLD)

    def containing(self, fingerprints):
        return self.ask(fingerprints, lambda asked, other: True)

    def disk(self):
        return bytes_of(self.index)


class Datasketch(Peer):
    """MinHashLSH: candidates by bands of permutations, in memory."""

    package = "datasketch"

    def minhash(self, fingerprints):
        from datasketch import MinHash

        made = MinHash(num_perm=PERMUTATIONS)
        made.update_batch([each.tobytes() for each in fingerprints])
        return made

    def build(self, corpus):
        from datasketch import MinHashLSH

        self.lsh = MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, PERMUTATIONS // BANDS))
        with self.lsh.insertion_session() as session:
            for number, fingerprints in enumerate(corpus.by_document):
                session.insert(number, self.minhash(fingerprints))

    def similar(self, fingerprints):
        return self.lsh.query(self.minhash(fingerprints))

    def remove(self, documents):
        with self.lsh.deletion_session() as session:
            for document in documents:
                session.remove(document)


class DatasketchEnsemble(Datasketch):
    """LSH Ensemble: candidates by containment, in parts by size, in memory. It is indexed once."""

    remove = None

    def build(self, corpus):
        from datasketch import MinHashLSHEnsemble

        self.lsh = MinHashLSHEnsemble(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_part=16)
        by_document = enumerate(corpus.by_document)
        self.lsh.index((number, self.minhash(each), len(each)) for number, each in by_document if len(each))

    def similar(self, fingerprints):
        return list(self.lsh.query(self.minhash(fingerprints), len(fingerprints)))


def words(fingerprints):
    return [str(each) for each in fingerprints.tolist()]


class Rensa(Peer):
    """RMinHashLSH: as MinHashLSH, in Rust."""

    package = "rensa"

    def minhash(self, fingerprints):
        from rensa import RMinHash

        made = RMinHash(num_perm=PERMUTATIONS, seed=1)
        made.update(words(fingerprints))
        return made

    def build(self, corpus):
        from rensa import RMinHashLSH

        self.lsh = RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=BANDS)
        for number, fingerprints in enumerate(corpus.by_document):
            self.lsh.insert(number, self.minhash(fingerprints))

    def similar(self, fingerprints):
        return self.lsh.query(self.minhash(fingerprints))

    def remove(self, documents):
        for document in documents:
            self.lsh.remove(document)


class Gaoya(Peer):
    """MinHashStringIndex: bands in memory, and what they find checked by the signatures."""

    package = "gaoya"

    def build(self, corpus):
        from gaoya.minhash import MinHashStringIndex

        self.index = MinHashStringIndex(
            jaccard_threshold=THRESHOLD,
            num_bands=BANDS,
            band_size=PERMUTATIONS // BANDS,
            analyzer="word",
        )
        for number, fingerprints in enumerate(corpus.by_document):
            self.index.insert_document(number, " ".join(words(fingerprints)))

    def similar(self, fingerprints):
        return self.index.query(" ".join(words(fingerprints)))

    def remove(self, documents):
        for document in documents:
            self.index.remove(document)


PEERS = {
    "sourmash": Sourmash,
    "DuckDB": DuckDb,
    "datasketch LSH": Datasketch,
    "datasketch Ensemble": DatasketchEnsemble,
    "rensa": Rensa,
    "gaoya": Gaoya,
}


def status(name):
    """A figure of this process's memory, in bytes."""
    with open("/proc/self/status", encoding="ascii") as lines:
        line = next(line for line in lines if line.startswith(name))
    return int(line.split()[1]) * 1024


def processor_seconds():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def ask(answer, documents, corpus):
    """Asks all questions twice; the times are those of the second round."""
    for _ in range(2):
        times, found, processor = [], [], processor_seconds()
        for document in documents:
            begin = time.perf_counter()
            answered = answer(corpus.by_document[document])
            times.append(time.perf_counter() - begin)
            found.append([int(each) for each in answered])
        processor = processor_seconds() - processor
    return {"seconds": times, "processor": processor, "found": found}


def all_pairs(search, corpus):
    """Times a search for all pairs; keeps the pairs of documents that are asked about."""
    begin, processor = time.perf_counter(), processor_seconds()
    pairs = search()
    if pairs is None:
        return None
    seconds, processor = time.perf_counter() - begin, processor_seconds() - processor
    both = numpy.concatenate([pairs, pairs[:, ::-1]])
    found = [both[both[:, 0] == document, 1].tolist() for document in corpus.questions["similar"]]
    return {"seconds": seconds, "processor": processor, "pairs": len(pairs), "found": found}


def delete(peer, corpus):
    """Times the deletion; counts the documents deleted that are found after it."""
    # What went before may have left nothing of the index in memory.
    peer.similar(corpus.by_document[corpus.questions["similar"][0]])
    begin = time.perf_counter()
    peer.remove(corpus.deleted)
    seconds = time.perf_counter() - begin
    found = set()
    for document in corpus.questions["similar"]:
        found.update(peer.similar(corpus.by_document[document]))
    return {"seconds": seconds, "found": len(found.intersection(corpus.deleted))}


def measure(peer, corpus):
    # Not counted: what its libraries take, and the time to load them.
    importlib.import_module(peer.package)
    peer.prepare(corpus)
    memory = status("VmRSS:")
    begin, processor = time.perf_counter(), processor_seconds()
    peer.build(corpus)
    measured = {
        "version": version(peer.package),
        "build": time.perf_counter() - begin,
        "build_processor": processor_seconds() - processor,
        "disk": peer.disk(),
    }
    measured["similar"] = ask(peer.similar, corpus.questions["similar"], corpus)
    measured["containing"] = ask(peer.containing, corpus.questions["containing"], corpus)
    measured["pairs"] = all_pairs(peer.pairs, corpus) if peer.pairs else None
    # A program that is run to build an index has this much of its own.
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    measured["memory"] = max(status("VmHWM:") - memory, children)
    of_families = peer.pairs_of_families
    measured["pairs_of_families"] = all_pairs(of_families, corpus) if of_families else None
    measured["deleted"] = delete(peer, corpus) if peer.remove else None
    return measured


def main(folder, name):
    os.environ.setdefault("RAYON_NUM_THREADS", "2")
    try:
        measured = measure(PEERS[name](), Corpus(Path(folder)))
    except ModuleNotFoundError as error:
        measured = {"missing": error.name}
    print(json.dumps(measured))


if __name__ == "__main__":
    main(*sys.argv[1:])
