"""Containers: opened where their list of members can be read, or their first bytes unpacked."""

import bz2
import gzip
import lzma
import subprocess
import tarfile
import zipfile


def zipped(path):
    with zipfile.ZipFile(path) as archive:
        archive.infolist()


def tar(path):
    with tarfile.open(path) as archive:
        archive.getmembers()


def seven_zip(path):
    import py7zr

    # Names may be locked; that a password is asked for shows the archive was understood.
    try:
        with py7zr.SevenZipFile(path) as archive:
            archive.getnames()
    except py7zr.exceptions.PasswordRequired:
        pass


def stream(module):
    def begin(path):
        with module.open(path) as file:
            file.read(1 << 16)

    return begin


def zst(path):
    subprocess.run(["zstd", "-tq", path], check=True, capture_output=True)


READERS = {
    "zip": [("zipfile", None, zipped)],
    "tar": [("tarfile", None, tar)],
    "7z": [("py7zr", "py:py7zr", seven_zip)],
    "gz": [("gzip", None, stream(gzip))],
    "bz2": [("bz2", None, stream(bz2))],
    "xz": [("lzma", None, stream(lzma))],
    "zst": [("zstd", "zstd", zst)],
}
