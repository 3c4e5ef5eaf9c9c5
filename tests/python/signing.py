"""What other programs take to sign a text, for `bench signing`: megabytes a second on one core.

Usage: signing.py FILE. Prints one JSON object a line: a figure with `name`, `value` and `unit`, or a `note`.
Measures those of sourmash, rensa and gaoya that are installed. Each signs what it is made for: sourmash windows of 20
letters, one of 64 kept; rensa and gaoya the 5-word shingles of pieces of 4 KB by 128 permutations. Splitting a text into
words is not timed where a program wants that done by its caller.
"""

import json
import os
import sys
import time
from pathlib import Path

PIECE = 4 << 10
PERMUTATIONS = 128
SECONDS = 1.0


def line(**fields):
    print(json.dumps(fields), flush=True)


def rate(name, sign, parts):
    """Signs parts, each with its number of bytes, one after another for a second."""
    signed, begin, at = 0, time.process_time(), 0
    while time.process_time() - begin < SECONDS:
        part, size = parts[at % len(parts)]
        sign(part)
        signed, at = signed + size, at + 1
    line(name=name, value=signed / 1e6 / (time.process_time() - begin), unit="MB/s")


def pieces(text):
    return [text[at : at + PIECE] for at in range(0, len(text) - PIECE, PIECE)]


def sourmash(text):
    from sourmash import MinHash

    letters = "".join(filter(str.isalpha, text.upper()))

    def sign(part):
        # Windows of 20 letters of a protein are hashed as they are.
        MinHash(n=0, ksize=20, scaled=64, is_protein=True).add_protein(part)

    rate("sourmash, one window of 20 letters in 64", sign, [(letters, len(letters))])


def rensa(text):
    from rensa import RMinHash

    def shingles(part):
        words = part.split()
        return [" ".join(words[at : at + 5]) for at in range(len(words) - 4)]

    def sign(part):
        RMinHash(num_perm=PERMUTATIONS, seed=1).update(part)

    parts = [(shingles(part), len(part)) for part in pieces(text)]
    rate("rensa RMinHash, 5 words, 128 permutations", sign, parts)


def gaoya(text):
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        jaccard_threshold=0.8, num_bands=16, band_size=8, analyzer="word", ngram_range=(5, 5)
    )
    # A query signs a text and looks up its bands in an index that holds nothing.
    parts = [(part, len(part)) for part in pieces(text)]
    rate("gaoya MinHashStringIndex, 5 words, 128 permutations", index.query, parts)


def main(file):
    text = Path(file).read_text(encoding="utf-8", errors="replace")
    for measure in [sourmash, rensa, gaoya]:
        try:
            measure(text)
        except ImportError:
            line(note=f"{measure.__name__} is not installed and was not measured")


if __name__ == "__main__":
    os.environ.setdefault("RAYON_NUM_THREADS", "1")
    main(sys.argv[1])
