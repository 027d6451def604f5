"""Coverage in GitHub Actions: the summary of the step, annotations of lines, outputs, and a comment in the pull request that is updated."""

import http.client
import json
import os
import re
import secrets
import sys
import urllib.error
import urllib.request

from quadrants._coverage import changes as _changes, report as _report
from quadrants._coverage.changes import ReportError
from quadrants._coverage.percent import shown

MOST = 10  # of each kind that GitHub shows from one step
_PAGE = 100  # comments in an answer, the maximum


def _variable(name, remedy="it is set in the steps of GitHub Actions; elsewhere use --markdown FILE"):
    value = os.environ.get(name)
    if not value:
        raise ReportError(f"{name} is not set: {remedy}")
    return value


def _event():
    """Returns the event that started the run."""
    path = _variable("GITHUB_EVENT_PATH")
    try:
        with open(path, encoding="utf-8") as file:
            event = json.load(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ReportError(f"the event {path} cannot be read ({reason}): GITHUB_EVENT_PATH must name a JSON file") from None
    if not isinstance(event, dict):
        raise ReportError(f"the event {path} is not a JSON object: GITHUB_EVENT_PATH must name the file that GitHub wrote")
    return event


def _inner(event, *names):
    """Returns a member of members, None where one is missing."""
    for name in names:
        event = event.get(name) if isinstance(event, dict) else None
    return event


def _target_of_merge():
    """Returns the first parent of the merge commit that GitHub makes to test a pull request: the target branch."""
    if not re.fullmatch(r"refs/pull/\d+/merge", os.environ.get("GITHUB_REF", "")):
        return None
    try:
        head, *parents = _changes.git("rev-list", "--parents", "-n", "1", "HEAD").split()
    except ReportError:
        return None
    return "HEAD^1" if head == os.environ.get("GITHUB_SHA") and len(parents) == 2 else None


def _escaped(text, more=""):
    """Escapes the text of a workflow command; the values of its properties need `more`."""
    return re.sub(f"[%\r\n{more}]", lambda found: f"%{ord(found[0]):02X}", text)


def command(name, text, **properties):
    """Formats a workflow command, which is a line of its own in the output of a step."""
    values = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in properties.items())
    return f"::{name}{' ' * bool(values)}{values}::{_escaped(text)}"


def annotations(files, title):
    """Returns (the commands that mark the new lines that never ran and branches that were never taken, the number left out)."""
    top = _changes.root()
    found = {"warning": [], "notice": []}
    for f in files:
        path = _changes.below(top, f.name)
        for first, last, text in f.places(f.new) if path else ():
            level = "warning" if first in f.missing else "notice"
            found[level].append((first - last, path, first, last, text))
    commands = [
        command(level, text, file=path, line=first, endLine=last, title=title)
        for level, places in found.items()
        for _, path, first, last, text in sorted(places)[:MOST]
    ]
    return commands, sum(map(len, found.values())) - len(commands)


def marker(name):
    """Returns the hidden first line by which a comment is recognised."""
    return f"<!-- quadrants-coverage: {re.sub('[^A-Za-z0-9_. ()/]+', '-', name)} -->"


class Service:
    def __init__(self, options):
        self._options = options
        self._summary = _variable("GITHUB_STEP_SUMMARY")
        self._event = _event()

    def base(self):
        """Returns (a revision, the name to show) of the target branch of a pull request or merge queue; None for other events."""
        commit = _inner(self._event, "pull_request", "base", "sha") or _inner(self._event, "merge_group", "base_sha")
        if not commit:
            return None, None
        target = os.environ.get("GITHUB_BASE_REF") or _inner(self._event, "pull_request", "base", "ref") or commit[:7]
        for revision in filter(None, (_target_of_merge(), f"origin/{target}", commit)):
            try:
                _changes.merge_base(revision)
                return revision, target
            except ReportError as error:
                failure = error
        raise ReportError(f"the target branch {target} is not known here: {failure}")

    def quoted(self, text):
        """Returns the text as an output in which GitHub executes no commands, which names of files could contain."""
        token = secrets.token_hex(16)
        return f"::stop-commands::{token}\n{text}::{token}::\n"

    def write(self, files, total, base, failure):
        commit = (_inner(self._event, "pull_request", "head", "sha") or os.environ.get("GITHUB_SHA") or "")[:7]
        name = self._options.name
        text = _report.as_markdown(files, total, base, heading=f"{name} of {commit}" if commit else name)
        marks, left_out = annotations(files, name) if base else ([], 0)
        if failure:
            text = f"{text}\n❌ {failure}.\n"
            marks.append(command("error", f"{failure}.", title=name))
        if left_out:
            places = "place is" if left_out == 1 else "places are"
            text += f"\nGitHub shows {MOST} marks of a kind beside the lines; {left_out} more {places} listed here alone.\n"
        print("".join(f"{mark}\n" for mark in marks), end="", flush=True)
        with open(self._summary, "a", encoding="utf-8") as file:
            file.write(text + "\n")
        hidden = marker(name)
        _report.write(os.path.join(self._options.output, "comment.md"), f"{hidden}\n{text}{self._link()}")
        if path := os.environ.get("GITHUB_OUTPUT"):
            with open(path, "a", encoding="utf-8") as file:
                new = "" if total.diff is None else shown(total.diff)
                file.write(f"overall={shown(total.overall)}\nnew={new}\nfailure={failure}\n")

    def _link(self):
        server, repository, run = (os.environ.get(f"GITHUB_{name}") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID"))
        return f"\n[The run]({server}/{repository}/actions/runs/{run}) has this report as a page with counts.\n" if server and repository and run else ""


# --- the comment -----------------------------------------------------------------------------------------------------


def _call(method, path, token, body=None):
    """Calls GitHub's REST API and returns its answer."""
    address = os.environ.get("GITHUB_API_URL", "https://api.github.com").rstrip("/") + path
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28",
               "User-Agent": "quadrants-coverage", "Content-Type": "application/json"}  # fmt: skip
    data = None if body is None else json.dumps({"body": body}).encode()
    with urllib.request.urlopen(urllib.request.Request(address, data, headers, method=method), timeout=30) as answer:
        return json.load(answer)


def _own_comment(issue, token, hidden):
    """Returns the number of the comment that begins with the hidden line and was written with this kind of token, or None."""
    found, page = [], 1
    while True:
        comments = _call("GET", f"{issue}/comments?per_page={_PAGE}&page={page}", token)
        found += [one for one in comments if (one.get("body") or "").startswith(hidden)]
        if len(comments) < _PAGE:
            break
        page += 1
    try:
        me = _call("GET", "/user", token)["login"] if found else None
    except urllib.error.HTTPError:  # the token of a workflow is not a user's; it writes as a bot
        me = None
    return next((one["id"] for one in found if (_inner(one, "user", "login") == me if me else _inner(one, "user", "type") == "Bot")), None)


def comment(path):
    """Writes the comment of the pull request. An answer of GitHub that refuses it is reported, but is not a failure."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, ValueError) as error:
        raise ReportError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error}): write it with report --github") from None
    hidden = text.partition("\n")[0]
    if not re.fullmatch("<!-- quadrants-coverage: .* -->", hidden):
        raise ReportError(f"{path} does not begin with a hidden line: write it with report --github")
    number = _inner(_event(), "pull_request", "number")
    if not number:
        print("no comment: this run is not of a pull request")
        return 0
    token = _variable("GITHUB_TOKEN", "add `env: {GITHUB_TOKEN: ${{ github.token }}}` to the step")
    repository = f"/repos/{_variable('GITHUB_REPOSITORY')}"
    try:
        own = _own_comment(f"{repository}/issues/{number}", token, hidden)
        address = f"{repository}/issues/{number}/comments" if own is None else f"{repository}/issues/comments/{own}"
        answer = _call("POST" if own is None else "PATCH", address, token, text)
        print(f"comment {'written' if own is None else 'updated'}: {_inner(answer, 'html_url')}")
    except (OSError, ValueError, http.client.HTTPException) as error:
        print(command("warning", f"The comment in the pull request was not written: {_reason(error)}", title="Kernel coverage"))
        print(f"quadrants-coverage: {error}", file=sys.stderr)
    return 0


def _reason(error):
    status = getattr(error, "code", None)
    if status in (401, 403, 404):
        return (f"GitHub answered {status}, so give the job `permissions: {{contents: read, pull-requests: write}}`. "
                "Runs for forks may not write: their report is in the summary.")  # fmt: skip
    return f"{error}; its text is in the summary of the run."
