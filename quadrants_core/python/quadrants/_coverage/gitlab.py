"""Coverage in GitLab CI: a code quality report of what never ran, for the artifacts of a job."""

import hashlib
import json
import os

from quadrants._coverage import changes as _changes, report as _report


def issues(files):
    """Returns the code quality report. Its fingerprints do not depend on line numbers, so GitLab recognises an issue that has moved."""
    top, seen, found = _changes.root(), {}, []
    for f in files:
        path = _changes.below(top, f.name)
        for first, last, text in f.places(f.statements) if path else ():
            kind = "line-never-ran" if first in f.missing else "branch-never-taken"
            key = (kind, path, *(line.strip() for line in f.text[first - 1 : last]))
            seen[key] = seen.get(key, 0) + 1
            found.append({
                "description": text,
                "check_name": kind,
                "fingerprint": hashlib.sha256(repr((key, seen[key])).encode("utf-8", "surrogateescape")).hexdigest(),
                "severity": "minor" if first in f.missing else "info",
                "location": {"path": path, "lines": {"begin": first}},
            })  # fmt: skip
    return found


class Service:
    def __init__(self, options):
        self._folder = options.output

    def base(self):
        """Returns (a revision, the name to show) of the target branch of a merge request; None in other pipelines."""
        commit = os.environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA")
        return commit, commit and (os.environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") or commit[:7])

    def quoted(self, text):
        return text

    def write(self, files, total, base, failure):
        text = json.dumps(issues(files), indent=1)
        _report.write(os.path.join(self._folder, "code-quality.json"), text + "\n")
