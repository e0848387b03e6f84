"""lnprototest's unmodified tests of BOLT 1 against lspd or the wallet.

    bolt1.py DIRECTORY-OF-THE-PROGRAMS DIRECTORY-OF-THE-TESTS lspd|wallet

The table in docs/interop.md lists the tests that fail. Exits with 1 if another test fails, if a listed one passes, or
if table and tests differ in names.
"""
import os
import re
import sys
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "..", "..", "docs", "interop.md")
ROW = re.compile(r"^\| `(test_\w+)` \| (passes|fails) \| (passes|fails) \|", re.MULTILINE)
RUNNERS = {"lspd": ("runners.Lspd", 0), "wallet": ("runners.Wallet", 1)}


class Outcomes:
    """By test name: whether it passes, and its message if not."""

    def __init__(self):
        self.of = {}

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.split("::")[-1]
        if report.failed:
            self.of[name] = ("fails", report.longrepr.reprcrash.message if report.longrepr else "")
        elif report.when == "call":
            self.of.setdefault(name, ("passes" if report.passed else "is skipped", ""))


def expected(column):
    with open(TABLE, encoding="utf-8") as page:
        return {row[0]: row[1 + column] for row in ROW.findall(page.read())}


def differences(wanted, outcomes):
    for name in sorted(set(wanted) | set(outcomes)):
        outcome, why = outcomes.get(name, ("is not among lnprototest's tests", ""))
        if name not in wanted:
            yield f"{name} {outcome}, and is missing in the table. {why}"
        elif wanted[name] != outcome:
            yield f"{name} {outcome}, but {wanted[name]} by the table. {why}"


def main(programs, tests, end):
    runner, column = RUNNERS[end]
    outcomes = Outcomes()
    began = time.monotonic()
    code = pytest.main(
        ["-qq", "--no-header", "--no-summary", "--show-capture=no", "-p", "no:cacheprovider", "--runner", runner,
         "--runner-args", os.path.abspath(programs), tests],
        plugins=[outcomes])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"bolt1.py: pytest ends with {code!r}")
    found = list(differences(expected(column), outcomes.of))
    for line in found:
        print(f"bolt1.py: {end}: {line}")
    if found:
        raise SystemExit(1)
    passed = sum(outcome == "passes" for outcome, _ in outcomes.of.values())
    failed = f", {len(outcomes.of) - passed} fail as listed in docs/interop.md" if passed < len(outcomes.of) else ""
    print(f"  {end}: {passed} tests pass{failed} ({time.monotonic() - began:.1f} s)")


main(*sys.argv[1:])
