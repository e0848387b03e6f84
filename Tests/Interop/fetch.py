"""The files of a list, from the web or from a directory, into a place that has them all or is not there.

    fetch.py LIST PLACE URL-OR-DIRECTORY

LIST is as sha256sum writes it. Ends with 1 and one sentence if a file cannot be had, or is another one.
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
                raise SystemExit(f"{source}/{name} is not the file of {wanted}")
            with open(os.path.join(partial, name), "wb") as file:
                file.write(bytes_)
    shutil.copy(wanted, partial)
    shutil.rmtree(place, ignore_errors=True)
    os.rename(partial, place)


try:
    fetch(*sys.argv[1:])
except OSError as error:
    raise SystemExit(f"{sys.argv[3]} cannot be read: {error}") from error
