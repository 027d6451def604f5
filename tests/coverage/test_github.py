"""quadrants-coverage report --github and quadrants-coverage comment."""

import json
import os
import re

import ci_project
import pytest
from ci_project import ARCS, NAME, Actions, FakeGitHub, git, pull_request, report_file

from quadrants._coverage import changes, command, github, report


WORKFLOW_COMMAND = re.compile(r"::(warning|error|notice) ((?:[a-zA-Z]+=[^\r\n:,]*,?)*)::([^\r\n]*)")


def commands(text):
    """Returns (name, properties, message) of workflow commands, unescaped as by the runner."""

    def plain(value):
        for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            value = value.replace(code, char)
        return value

    found = [WORKFLOW_COMMAND.fullmatch(line) for line in text.splitlines() if re.match("::(warning|error|notice)", line)]
    assert all(found), text
    return [(one[1], {key: plain(value) for key, _, value in (pair.partition("=") for pair in one[2].split(","))}, plain(one[3])) for one in found]


def test_commands_are_escaped():
    text = github.command("warning", "50 %: a, b\r\nc", file="a,b:c%.py", line=3)
    assert text == "::warning file=a%2Cb%3Ac%25.py,line=3::50 %25: a, b%0D%0Ac"
    assert commands(text) == [("warning", {"file": "a,b:c%.py", "line": "3"}, "50 %: a, b\r\nc")]
    assert github.command("error", "x") == "::error::x"


def test_a_pull_request(repository, run, tmp_path):
    actions = Actions(tmp_path / "step", pull_request(repository), GITHUB_BASE_REF="main")
    actions.summary.write_text("earlier\n")
    status, said, messages = run(actions, "report", "--github", "--fail-under", "80")
    assert status == 2
    assert messages == "quadrants-coverage: 71.4% is less than 80%\n"
    assert commands(said) == [
        ("warning", {"file": NAME, "line": "9", "endLine": "11", "title": "Kernel coverage"}, "Lines 9 to 11 never ran."),
        ("notice", {"file": NAME, "line": "6", "endLine": "6", "title": "Kernel coverage"}, "Line 6 never continues to line 8."),
        ("error", {"title": "Kernel coverage"}, "71.4% is less than 80%."),
    ]
    summary = actions.summary.read_text()
    head = git(repository, "rev-parse", "change")[:7]
    assert summary.startswith(f"earlier\n## Kernel coverage of {head}\n\n**71.4%** of what is new since `main` ran (5 of 7 lines).\n")
    assert "| ⚠️ | `shapes/kernels.py` | 71.4% |" in summary and "\n❌ 71.4% is less than 80%.\n" in summary
    assert actions.outputs() == {"overall": "69.2%", "new": "71.4%", "failure": "71.4% is less than 80%"}
    comment = (repository / "coverage-report/comment.md").read_text()
    assert comment.startswith(f"<!-- quadrants-coverage: Kernel coverage -->\n## Kernel coverage of {head}\n")
    assert comment.endswith("\n[The run](https://github.example/someone/shapes/actions/runs/7) has this report as a page with counts.\n")
    assert "since main" in (repository / "coverage-report/report.html").read_text()
    assert 'filename="shapes/kernels.py"' in (repository / "coverage-report/coverage.xml").read_text()


def test_a_threshold_that_is_reached(repository, run, tmp_path):
    actions = Actions(tmp_path / "step", pull_request(repository))
    status, said, messages = run(actions, "report", "--github", "--fail-under", "71", "--output", "there", "--name", "py 3.12 -->x")
    assert (status, messages) == (0, "") and actions.outputs()["failure"] == "" and "::error" not in said
    assert "❌" not in actions.summary.read_text()
    hidden, title, *_ = (repository / "there/comment.md").read_text().splitlines()
    assert hidden == "<!-- quadrants-coverage: py 3.12 -x -->" and title.startswith("## py 3.12 -->x of ")


def test_names_of_files_are_no_commands(repository, run, tmp_path):
    """The output of a step is read for commands."""
    name = "::error::x.py"
    ci_project.write(repository, name, "a = 1\nif a > 1:\n    a = 2\n")
    ci_project.measure(repository, {name: [(-1, 1), (1, 2), (2, -1)]}, {name: {1: 1}})
    actions = Actions(tmp_path / "step", pull_request(repository))
    status, said, _ = run(actions, "report", "--github")
    first, *rows = said.splitlines()
    token = re.fullmatch("::stop-commands::([0-9a-f]{32})", first)[1]
    end = rows.index(f"::{token}::")
    assert any(row.startswith("::error::x.py") for row in rows[:end])
    assert commands("\n".join(rows[end:])) == [
        ("warning", {"file": name, "line": "3", "endLine": "3", "title": "Kernel coverage"}, "Line 3 never ran.")]


def test_at_most_what_github_shows(repository, run, tmp_path, monkeypatch):
    """The longest gaps are shown, and the number of the others is stated."""
    files = [report_file(f"f{n}.py", [*range(10, 11 + n), 100, 200]) for n in range(6)]
    marks, left_out = github.annotations(files, "title")
    assert len(marks) == 10 and left_out == 8 and all(mark.startswith("::warning ") for mark in marks)
    assert {found[1]["file"] for found in commands("\n".join(marks))} == {"f1.py", "f2.py", "f3.py", "f4.py", "f5.py", "f0.py"}
    branches = [report.File("b.py", [""] * 99, {*range(1, 99)}, set(), {line: [line + 2] for line in range(1, 90)}, (0, 0), {}, {*range(1, 99)})]
    marks, left_out = github.annotations(branches + files, "title")
    assert [mark.split()[0] for mark in marks] == ["::warning"] * 10 + ["::notice"] * 10 and left_out == 8 + 79
    long = "x = 0\n" + "if x:\n    x = 1\n" * 14
    arcs = [(-1, 1), (1, 2), *((line, line + 2) for line in range(2, 28, 2)), (28, -1)]
    ci_project.write(repository, NAME, long)
    ci_project.measure(repository, {NAME: arcs}, {NAME: {1: 1}})
    actions = Actions(tmp_path / "step", pull_request(repository))
    status, said, _ = run(actions, "report", "--github")
    assert len(commands(said)) == 10
    assert actions.summary.read_text().endswith("\nGitHub shows 10 marks of a kind beside the lines; 4 more places are listed here alone.\n\n")


def test_files_elsewhere_are_not_marked(repository, tmp_path):
    inside, outside, cell = (report_file(str(name), [1], lines=3) for name in (
        repository / NAME, tmp_path / "elsewhere.py", repository / "_qd_kcov_sources/cell_1.py"))
    marks, _ = github.annotations([inside, outside, cell], "title")
    assert [found[1]["file"] for found in commands("\n".join(marks))] == [NAME]


def test_in_a_folder_of_the_repository(repository, run, tmp_path, monkeypatch):
    """Marks and Cobertura name files relative to the root of the repository."""
    monkeypatch.chdir(repository / "shapes")
    actions = Actions(tmp_path / "step", pull_request(repository))
    _, said, _ = run(actions, "report", "--github", str(repository / ".coverage"))
    assert {found[1]["file"] for found in commands(said)} == {NAME}
    assert f'filename="{NAME}"' in (repository / "shapes/coverage-report/coverage.xml").read_text()


# --- the base --------------------------------------------------------------------------------------------------------


def bases(repository, case):
    """Prepares a checkout, and returns (event, variables)."""
    event = pull_request(repository)
    if case == "merge":  # as actions/checkout with fetch-depth: 2 leaves it; the branch has more commits by then
        git(repository, "checkout", "-q", "--detach", "main")
        git(repository, "merge", "-q", "--no-ff", "-m", "merge", "change")
        git(repository, "branch", "-q", "-D", "main")
        return event, {"GITHUB_REF": "refs/pull/3/merge", "GITHUB_SHA": git(repository, "rev-parse", "HEAD"), "GITHUB_BASE_REF": "main"}
    if case == "remote":
        git(repository, "update-ref", "refs/remotes/origin/main", "main")
        event["pull_request"]["base"]["sha"] = "0" * 40
        return event, {"GITHUB_BASE_REF": "main"}
    if case == "queue":
        return {"merge_group": {"base_sha": event["pull_request"]["base"]["sha"]}}, {}
    return event, {}


@pytest.mark.parametrize("case", ["merge", "remote", "event", "queue"])
def test_the_base_of_a_pull_request(repository, run, tmp_path, case):
    event, variables = bases(repository, case)
    shown = event["merge_group"]["base_sha"][:7] if case == "queue" else "main"
    status, said, messages = run(Actions(tmp_path / "step", event, **variables), "report", "--github")
    assert status == 0, messages
    assert "of what is new: 71.4% (5 of 7 lines)" in said
    assert f"since `{shown}`" in (repository / "coverage-report/comment.md").read_text()


def test_an_explicit_base(repository, run, tmp_path):
    _, said, _ = run(Actions(tmp_path / "step", pull_request(repository)), "report", "--github", "--diff", "HEAD")
    assert "no measured line is new since HEAD" in said


def test_files_that_are_left_out(repository, run, tmp_path):
    """--include and --omit are about every form of the report."""
    ci_project.write(repository, "more.py", "b = 1\nif b > 1:\n    b = 2\n")
    ci_project.measure(repository, {NAME: ARCS, "more.py": [(-1, 1), (1, 2), (2, -1)]}, {NAME: {}})
    for option in (["--include", "shapes/*"], ["--omit", "more.py"]):
        _, said, _ = run(Actions(tmp_path / "step", pull_request(repository)), "report", "--github", *option)
        assert {found[1]["file"] for found in commands(said)} == {NAME}
        for name in ("comment.md", "coverage.xml", "report.html"):
            text = (repository / "coverage-report" / name).read_text()
            assert NAME in text and "more.py" not in text


def test_a_push_has_no_base(repository, run, tmp_path):
    actions = Actions(tmp_path / "step", {"before": "1" * 40, "after": "2" * 40})
    status, said, _ = run(actions, "report", "--github", "--fail-under", "69")
    assert status == 0 and "new" not in said.splitlines()[1].split() and not commands(said)
    assert actions.outputs() == {"overall": "69.2%", "new": "", "failure": ""}


@pytest.mark.parametrize("depth", ["1", "2"])
def test_a_shallow_clone(repository, run, tmp_path, monkeypatch, depth):
    """The merge commit of the pull request and its parents suffice; less is reported with what to do."""
    event, variables = bases(repository, "merge")
    git(repository, "checkout", "-q", "-b", "merged")
    git(tmp_path, "clone", "-q", "--depth", depth, "--branch", "merged", f"file://{repository}", "shallow")
    shallow = tmp_path / "shallow"
    ci_project.measure(shallow)
    monkeypatch.chdir(shallow)
    status, said, messages = run(Actions(tmp_path / "step", event, **variables), "report", "--github")
    if depth == "2":
        assert status == 0 and "of what is new: 71.4% (5 of 7 lines)" in said, messages
    else:
        assert status == 1 and messages == (
            f"quadrants-coverage: the target branch main is not known here: {event['pull_request']['base']['sha']} and HEAD have no common commit "
            "in this shallow clone, so fetch the whole history: fetch-depth: 0 of actions/checkout, GIT_DEPTH: 0 of GitLab, or git fetch --unshallow\n")
    assert command.main(["report", "--diff", "nowhere"]) == 1


def test_a_base_that_is_not_here(repository, run, tmp_path):
    event = pull_request(repository)
    event["pull_request"]["base"]["sha"] = "1" * 40
    status, _, messages = run(Actions(tmp_path / "step", event), "report", "--github")
    assert status == 1 and messages.startswith("quadrants-coverage: the target branch main is not known here: git merge-base 1111111")
    assert messages.count("\n") == 1


def test_sources_of_cells_are_not_new(repository):
    """They are untracked, but are written while measuring."""
    ci_project.write(repository, "_qd_kcov_sources/notebooks/cell_1.py", "a = 1\n")
    ci_project.write(repository, "fresh.py", "a = 1\n")
    os.symlink("nowhere", repository / "broken.py")
    assert changes.since("main~1") == {str(repository / NAME): {*range(3, 13)}, str(repository / "fresh.py"): {1}}


# --- what is missing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, value, message", [
    ("GITHUB_STEP_SUMMARY", None, "GITHUB_STEP_SUMMARY is not set: it is set in the steps of GitHub Actions; elsewhere use --markdown FILE"),
    ("GITHUB_EVENT_PATH", "", "GITHUB_EVENT_PATH is not set: it is set in the steps of GitHub Actions; elsewhere use --markdown FILE"),
    ("GITHUB_EVENT_PATH", "nowhere.json",
     "the event nowhere.json cannot be read (No such file or directory): GITHUB_EVENT_PATH must name a JSON file"),
    ("GITHUB_EVENT_PATH", "shapes/kernels.py",
     "the event shapes/kernels.py cannot be read (Expecting value: line 1 column 1 (char 0)): GITHUB_EVENT_PATH must name a JSON file"),
    ("GITHUB_EVENT_PATH", "list.json", "the event list.json is not a JSON object: GITHUB_EVENT_PATH must name the file that GitHub wrote"),
    ("GITHUB_STEP_SUMMARY", "shapes/kernels.py/x", "shapes/kernels.py/x cannot be written (Not a directory): choose another place"),
])  # fmt: skip
def test_missing_files_and_variables(repository, run, tmp_path, name, value, message):
    ci_project.write(repository, "list.json", "[]")
    actions = Actions(tmp_path / "step")
    actions.variables[name] = value
    if value is None:
        del actions.variables[name]
    assert run(actions, "report", "--github")[::2] == (1, f"quadrants-coverage: {message}\n")


def test_without_git(repository, run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    status, _, messages = run(None, "report", "--diff", "main")
    assert status == 1 and messages == (
        "quadrants-coverage: git cannot be started (No such file or directory): install it, or report without the lines that are new\n")
    assert run(None, "report", "--xml", "coverage.xml")[0] == 0


def test_two_services_at_once(repository, run):
    with pytest.raises(SystemExit):
        run(None, "report", "--github", "--gitlab")


# --- the comment -----------------------------------------------------------------------------------------------------


@pytest.fixture
def commented(repository, run, tmp_path):
    """Returns a function that writes the comment to a service, after the report has been made."""

    def write(service, text="first", name="Kernel coverage", event=None, **variables):
        body = ci_project.write(tmp_path, "comment.md", f"{github.marker(name)}\n{text}\n")
        with service.serving() as address:
            given = {"GITHUB_API_URL": address, "GITHUB_TOKEN": "secret", **variables}
            actions = Actions(tmp_path / "step", pull_request(repository) if event is None else event, **given)
            return run(actions, "comment", str(body))

    return write


def test_the_comment_is_updated(commented):
    service = FakeGitHub()
    service.add(f"> {github.marker('Kernel coverage')}\nlook", "another[bot]", "Bot")
    service.add(f"{github.marker('Kernel coverage')}\nmine", "someone")
    assert commented(service)[:2] == (0, "comment written: https://github.example/comment/102\n")
    assert commented(service, "second")[:2] == (0, "comment updated: https://github.example/comment/102\n")
    assert [one["body"].splitlines()[-1] for one in service.comments] == ["look", "mine", "second"]
    assert commented(service, "other job", name="py 3.12")[1] == "comment written: https://github.example/comment/103\n"
    assert [call[:2] for call in service.calls[:2]] == [
        ("GET", "/repos/someone/shapes/issues/3/comments?per_page=100&page=1"), ("GET", "/user")]
    headers = service.calls[0][2]
    assert headers["authorization"] == "Bearer secret" and headers["accept"] == "application/vnd.github+json"
    assert headers["x-github-api-version"] == "2022-11-28" and headers["user-agent"]


def test_the_comment_of_a_user(commented):
    """A token of a user updates the comment of that user, not the one of a bot."""
    service = FakeGitHub()
    service.tokens["secret"] = "someone"
    service.add(f"{github.marker('Kernel coverage')}\nof the bot", "github-actions[bot]", "Bot")
    service.add(f"{github.marker('Kernel coverage')}\nof the user", "someone")
    assert commented(service)[:2] == (0, "comment updated: https://github.example/comment/101\n")
    assert [one["body"].splitlines()[-1] for one in service.comments] == ["of the bot", "first"]


def test_the_comment_among_many(commented):
    service = FakeGitHub()
    for _ in range(200):
        service.add("words", "someone")
    commented(service)
    assert commented(service, "second")[1] == "comment updated: https://github.example/comment/300\n"
    assert len(service.comments) == 201


@pytest.mark.parametrize("status, reason", [
    (403, "GitHub answered 403, so give the job `permissions: {contents: read, pull-requests: write}`. "
          "Runs for forks may not write: their report is in the summary."),
    (422, "HTTP Error 422: Unprocessable Entity; its text is in the summary of the run."),
    (500, "HTTP Error 500: Internal Server Error; its text is in the summary of the run."),
])  # fmt: skip
def test_a_refused_comment_is_reported(commented, status, reason):
    service = FakeGitHub()
    service.refuse = status
    code, said, messages = commented(service)
    assert code == 0 and "Traceback" not in messages
    assert commands(said) == [("warning", {"title": "Kernel coverage"}, f"The comment in the pull request was not written: {reason}")]


def test_no_answer_is_reported(commented, monkeypatch):
    code, said, _ = commented(FakeGitHub(), GITHUB_API_URL="http://127.0.0.1:1")
    assert code == 0 and "not written: <urlopen error [Errno 111] Connection refused>; its text" in commands(said)[0][2]


def test_no_comment_without_a_pull_request(commented):
    service = FakeGitHub()
    assert commented(service, event={"before": "1"})[:2] == (0, "no comment: this run is not of a pull request\n")
    assert not service.calls


@pytest.mark.parametrize("variable, message", [
    ("GITHUB_TOKEN", "GITHUB_TOKEN is not set: add `env: {GITHUB_TOKEN: ${{ github.token }}}` to the step"),
    ("GITHUB_REPOSITORY", "GITHUB_REPOSITORY is not set: it is set in the steps of GitHub Actions; elsewhere use --markdown FILE"),
])  # fmt: skip
def test_a_comment_without_its_variables(commented, variable, message):
    assert commented(FakeGitHub(), **{variable: ""})[::2] == (1, f"quadrants-coverage: {message}\n")


def test_files_that_are_no_comment(repository, run, tmp_path):
    actions = Actions(tmp_path / "step", pull_request(repository), GITHUB_TOKEN="secret")
    assert run(actions, "comment", "nowhere.md")[::2] == (
        1, "quadrants-coverage: nowhere.md cannot be read (No such file or directory): write it with report --github\n")
    assert run(actions, "comment", NAME)[::2] == (
        1, f"quadrants-coverage: {NAME} does not begin with a hidden line: write it with report --github\n")


def test_a_comment_of_many_files_is_not_too_long():
    files = [report_file(f"folder/of/some/length/file_{n}.py", [1, 3, 5], lines=9) for n in range(2000)]
    for base in (None, "main"):
        said = report.as_markdown(files, report.totals(files, base), base)
        assert len(said) < report.LONGEST_COMMENT and re.search(r"^\d+ more files would make this too long\.$", said, re.M)
    others = [report_file(f"folder/of/some/length/file_{n}.py", [1, 3, 5], changed=[], lines=9) for n in range(2000)]
    said = report.as_markdown(files + others, report.totals(files + others, "main"), "main")
    assert len(said) < report.LONGEST_COMMENT and said.count("more files would make this too long") >= 2
