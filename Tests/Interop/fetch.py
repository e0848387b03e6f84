"""Copies the files of a list, from the web or a directory, into a directory that has all of them or does not exist.

    fetch.py LIST PLACE URL-OR-DIRECTORY

LIST has sha256sum's format. Exits with 1 and one sentence if a file cannot be read or has another hash.
"""
import hashlib
import os
import shutil
import sys
import urllib.request


def content(source, name):
    if "://" not in source:
        with open(os.path.join(source, name), "rb") as file:
            return file.read()
    with urllib.request.urlopen(f"{source}/{name}", timeout=20) as answer:
        return answer.read()


def fetch(wanted, place, source):
    partial = f"{place}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    os.makedirs(partial)
    with open(wanted, encoding="utf-8") as lines:
        for digest, name in map(str.split, lines):
            bytes_ = content(source, name)
            if hashlib.sha256(bytes_).hexdigest() != digest:
                raise SystemExit(f"{source}/{name} does not have the hash in {wanted}")
            with open(os.path.join(partial, name), "wb") as file:
                file.write(bytes_)
    shutil.copy(wanted, partial)
    shutil.rmtree(place, ignore_errors=True)
    os.rename(partial, place)


try:
    fetch(*sys.argv[1:])
except OSError as error:
    raise SystemExit(f"{sys.argv[3]} cannot be read: {error}") from error
