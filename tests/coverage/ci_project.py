"""Git projects with measured data, and a service that answers like GitHub's API, for the tests of coverage in CI."""

import contextlib
import http.server
import json
import re
import subprocess
import threading

import coverage

from quadrants._coverage import report, runs

OLD = "def f(x):\n    return x\n"
NEW = OLD + """

def g(x):
    if x > 0:
        x += 1
    if x > 10:
        x -= 1

        x -= 2
    return x
"""
# lines 6 and 8 are conditions: the first was never false, the second never true, so lines 9 and 11 never ran
ARCS = [(-1, 1), (1, 5), (5, -1), (-1, 2), (2, -1), (-5, 6), (6, 7), (7, 8), (8, 12), (12, -5)]
COUNTS = {2: 5, 6: 1000, 7: 1000, 8: 1000, 12: 1000}
NAME = "shapes/kernels.py"


def git(folder, *command):
    settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"]
    done = subprocess.run(["git", *settings, *command], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def measure(folder, arcs=None, counts=None, data_file=".coverage"):
    """Writes a data file. `arcs` and `counts`: by name of the source."""
    data = coverage.CoverageData(basename=str(folder / data_file))
    data.add_arcs({str(folder / name): found for name, found in (arcs or {NAME: ARCS}).items()})
    data.write()
    data.close(force=True)
    rows = [(str(folder / name), line, n) for name, found in (counts or {NAME: COUNTS}).items() for line, n in found.items()]
    runs.write_tables(str(folder / data_file), "run", [], rows)


def project(folder):
    """A repository whose branch `change` adds a function to `main`, with an unrelated later commit on `main`."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q")
    write(folder, ".gitignore", ".coverage*\ncoverage-report/\n")
    write(folder, NAME, OLD)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "before")
    git(folder, "checkout", "-q", "-b", "change")
    write(folder, NAME, NEW)
    git(folder, "commit", "-q", "-a", "-m", "change")
    git(folder, "checkout", "-q", "main")
    write(folder, "other.py", "a = 1\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "later")
    git(folder, "checkout", "-q", "change")
    return folder


class Actions:
    """The files and variables of a step of GitHub Actions."""

    def __init__(self, folder, event=None, **variables):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.summary, self.output = folder / "summary.md", folder / "output"
        self.event = write(folder, "event.json", json.dumps(event or {}))
        self.variables = {"GITHUB_STEP_SUMMARY": str(self.summary), "GITHUB_OUTPUT": str(self.output), "GITHUB_EVENT_PATH": str(self.event),
                          "GITHUB_REPOSITORY": "someone/shapes", "GITHUB_SERVER_URL": "https://github.example", "GITHUB_RUN_ID": "7",
                          **variables}  # fmt: skip

    def outputs(self):
        return dict(line.partition("=")[::2] for line in self.output.read_text(encoding="utf-8").splitlines())


def pull_request(repository, number=3, target="main"):
    return {
        "pull_request": {
            "number": number,
            "base": {"ref": target, "sha": git(repository, "rev-parse", "main~1")},
            "head": {"ref": "change", "sha": git(repository, "rev-parse", "change")},
        }
    }


class Comments(http.server.BaseHTTPRequestHandler):
    """The part of GitHub's API for comments of issues, in pages as GitHub answers."""

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def handle_any(self):
        state = self.server.state
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        state.calls.append((self.command, self.path, {name.lower(): value for name, value in self.headers.items()}))
        if state.refuse:
            return self.answer(state.refuse, {"message": "refused"})
        if self.path == "/user":
            known = state.tokens.get(self.headers["Authorization"].removeprefix("Bearer "))
            return self.answer(200, {"login": known}) if known else self.answer(403, {"message": "not a user"})
        listing = re.fullmatch(r"/repos/someone/shapes/issues/3/comments(?:\?per_page=(\d+)&page=(\d+))?", self.path)
        one = re.fullmatch(r"/repos/someone/shapes/issues/comments/(\d+)", self.path)
        if listing and self.command == "GET":
            size, page = int(listing[1]), int(listing[2])
            return self.answer(200, state.comments[(page - 1) * size : page * size])
        if listing and self.command == "POST":
            return self.answer(201, state.add(body["body"], "github-actions[bot]", "Bot"))
        if one and self.command == "PATCH":
            (found,) = [comment for comment in state.comments if comment["id"] == int(one[1])]
            found["body"] = body["body"]
            return self.answer(200, found)
        return self.answer(404, {"message": "Not Found"})

    do_GET = do_POST = do_PATCH = handle_any

    def log_message(self, *_):
        pass


class FakeGitHub:
    def __init__(self):
        self.comments, self.calls, self.refuse, self.tokens = [], [], None, {}

    def add(self, body, login, kind="User"):
        number = 100 + len(self.comments)
        comment = {"id": number, "body": body, "user": {"login": login, "type": kind}, "html_url": f"https://github.example/comment/{number}"}
        self.comments.append(comment)
        return comment

    @contextlib.contextmanager
    def serving(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Comments) as server:
            server.state = self
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            try:
                yield f"http://127.0.0.1:{server.server_port}"
            finally:
                server.shutdown()
                thread.join()


def report_file(name, missing, changed=None, lines=400):
    """A File of which all lines are statements."""
    numbers = set(range(1, lines + 1))
    return report.File(name, ["x = 1"] * lines, numbers, set(missing), {}, (0, 0), {}, set(changed if changed is not None else numbers))
