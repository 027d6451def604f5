"""The action .github/actions/kernel-coverage: its form, and its steps as the runner executes them, without GitHub."""

import re
import subprocess
import sys
from pathlib import Path

import ci_project
import pytest
import sample_project
import yaml
from ci_project import Actions, FakeGitHub, git, pull_request

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / ".github/actions/kernel-coverage/action.yml").read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
STEPS = ACTION["runs"]["steps"]


def test_form():
    """The keys are those of the metadata syntax of composite actions. Values reach scripts only as variables, never as their text."""
    assert ACTION.keys() == {"name", "description", "inputs", "outputs", "runs"} and ACTION["runs"].keys() == {"using", "steps"}
    assert ACTION["runs"]["using"] == "composite"
    for name, given in ACTION["inputs"].items():
        assert given.keys() <= {"description", "default", "required"} and type(given["default"]) is str, name
    assert all(given.keys() == {"description", "value"} for given in ACTION["outputs"].values())
    for step in STEPS:
        assert step.keys() <= {"name", "id", "if", "shell", "working-directory", "env", "run", "uses", "with"}
        assert ("run" in step) != ("uses" in step) and ("shell" in step) == ("run" in step)
        assert not EXPRESSION.search(step.get("run", "")), step["name"]
        assert all(type(value) in (str, bool) for value in {**step.get("env", {}), **step.get("with", {})}.values())
    assert [step["name"] for step in STEPS] == ["Measure", "Combine", "Report", "Upload", "Comment", "Require"]
    used = set(re.findall(r"inputs\.([a-z-]+)", str(ACTION["runs"])))
    assert used == set(ACTION["inputs"])


class Runner:
    """Executes the steps as GitHub's runner does; actions of others are recorded only."""

    def __init__(self, folder, actions, **inputs):
        self.folder, self.actions = folder, actions
        self.inputs = {name: given["default"] for name, given in ACTION["inputs"].items()}
        self.inputs |= {name.replace("_", "-"): value for name, value in inputs.items()}
        self.outputs, self.used, self.said = {}, [], {}

    def value(self, text):
        def known(found):
            kind, _, name = found[1].partition(".")
            if kind == "inputs":
                return self.value(self.inputs[name])
            if found[1] == "github.token":
                return "secret"
            return self.outputs.get(re.fullmatch(r"steps\.report\.outputs\.(\w+)", found[1])[1], "")

        return EXPRESSION.sub(known, text)

    def applies(self, step):
        condition = EXPRESSION.fullmatch(step.get("if", "${{ '' == '' }}"))[1]
        left, operator, right = re.fullmatch(r"(\S+) (==|!=) '(.*)'", condition).groups()
        left = left[1:-1] if left.startswith("'") else self.value("${{ %s }}" % left)
        return (left == right) == (operator == "==")

    def run(self):
        """Returns the name of the step that failed, or None."""
        for step in STEPS:
            if not self.applies(step):
                continue
            if "uses" in step:
                self.used.append((step["uses"], {key: self.value(value) if type(value) is str else value for key, value in step["with"].items()}))
                continue
            environment = sample_project.environment(self.folder)
            environment |= {"GITHUB_ACTIONS": "true", **self.actions.variables}
            environment |= {name: self.value(value) for name, value in step.get("env", {}).items()}
            script = ci_project.write(self.actions.folder, "script.sh", step["run"])
            place = self.folder / self.value(step.get("working-directory", "."))
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=place, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=600)  # fmt: skip
            self.said[step["name"]] = done.stdout
            if step.get("id") == "report" and self.actions.output.exists():
                self.outputs = self.actions.outputs()
            if done.returncode:
                return step["name"]
        return None


PHASES = """
tests/test_shapes.py -k 'small and not large'

tests/test_shapes.py -k large
"""


@pytest.fixture
def repository(project):
    """The sample project, in whose last commit a branch was added that no test takes."""
    text = project.kernels.read_text()
    ci_project.write(project.folder, "shapes/kernels.py", text.replace("        else:\n            x[i] = 0\n            x[i] -= 1\n", ""))
    project.write(".gitignore", ".coverage*\n_qd_kcov*\ncoverage-report/\n__pycache__/\nscript.sh\n")
    project.write("pytest.ini", "[pytest]\naddopts = " + " ".join(sample_project.UNWANTED) + "\n")
    git(project.folder, "init", "-q")
    git(project.folder, "add", ".")
    git(project.folder, "commit", "-q", "-m", "before")
    git(project.folder, "commit", "-q", "--allow-empty", "-m", "later")
    git(project.folder, "checkout", "-q", "-b", "change")
    project.write("shapes/kernels.py", text)
    git(project.folder, "commit", "-q", "-a", "-m", "change")
    return project.folder


def runner(repository, tmp_path, event=None, **inputs):
    name = "pull_request" if event is None else "push"
    actions = Actions(tmp_path / "step", pull_request(repository) if event is None else event, GITHUB_EVENT_NAME=name)
    return Runner(repository, actions, python=sys.executable, source="shapes", **inputs)


def test_a_pull_request(repository, tmp_path):
    """All phases count; the comment is written before the threshold is required, and updated by the next run."""
    service = FakeGitHub()
    with service.serving() as address:
        for again in (False, True):
            step = runner(repository, tmp_path, pytest=PHASES, fail_under="80")
            step.actions.variables["GITHUB_API_URL"] = address
            assert step.run() == "Require", step.said
            assert step.said["Comment"] == f"comment {'updated' if again else 'written'}: https://github.example/comment/100\n"
            step.actions.output.unlink()
    assert step.said["Require"] == "0.0% is less than 80%\n"
    assert step.said["Measure"].count("1 passed, 1 deselected") == 2, step.said["Measure"]
    assert step.value(ACTION["outputs"]["overall"]["value"]) == "88.0%" and step.value(ACTION["outputs"]["new"]["value"]) == "0.0%"
    assert "::warning file=shapes/kernels.py,line=20,endLine=21,title=Kernel coverage::Lines 20 to 21 never ran." in step.said["Report"]
    (comment,) = service.comments
    assert "| ⚠️ | `shapes/kernels.py` | 0.0% | 88.0% | 20-21 |" in comment["body"]
    (upload,) = step.used
    assert upload[0].startswith("actions/upload-artifact@") and upload[1]["name"] == "Kernel coverage"
    for path in upload[1]["path"].split():
        assert (repository / path).exists()
    text = (repository / "coverage-report/coverage.xml").read_text()
    assert '<line number="17" hits="5"' in text, "the counts of both phases: three items and two"


def test_a_threshold_that_is_reached_and_no_comment(repository, tmp_path):
    ci_project.write(repository, "tests/test_negative.py", "import quadrants as qd\nfrom shapes import kernels\n\n\ndef test_it():\n    qd.init()\n"
                     "    assert kernels.go([-1, 2], 10) == [-1, 2]\n")  # fmt: skip
    step = runner(repository, tmp_path, fail_under="80", comment="false", pytest="tests", name="one job")
    assert step.run() is None, step.said
    assert "Comment" not in step.said and step.outputs == {"overall": "100.0%", "new": "100.0%", "failure": ""}
    assert step.used[0][1]["name"] == "one job"


def test_a_push(repository, tmp_path):
    """Outside of pull requests nothing is required, and there is nothing to comment on; a base can be given."""
    step = runner(repository, tmp_path, event={"before": "1"}, pytest="tests", fail_under="99")
    assert step.run() is None, step.said
    assert step.said["Comment"] == "no comment: this run is not of a pull request\n" and step.outputs["new"] == ""
    step = runner(repository, tmp_path, event={"before": "1"}, pytest="tests", fail_under="99", base="main")
    assert step.run() == "Require", step.said
    assert step.said["Require"] == "0.0% is less than 99%\n"


@pytest.mark.parametrize("phases, step, text", [
    ("tests -k small\ntests/nowhere.py\ntests", "Measure", "nowhere.py"),
    ("tests -p no:pytest_cov", "Measure", "unrecognized arguments: --cov-branch"),
])  # fmt: skip
def test_a_run_that_fails_ends_the_job(repository, tmp_path, phases, step, text):
    run = runner(repository, tmp_path, pytest=phases)
    assert run.run() == step and text in run.said[step]


def test_nothing_in_a_line_is_executed(repository, tmp_path):
    run = runner(repository, tmp_path, pytest="tests -k '$(touch made) or small' `touch made` ; touch made")
    assert run.run() == "Measure" and not (repository / "made").exists()


def uses(workflow):
    """Returns (the job, its step with the action) after checking what the action needs."""
    (job,) = [job for job in workflow["jobs"].values() if any("kernel-coverage" in step.get("uses", "") for step in job["steps"])]
    (step,) = [step for step in job["steps"] if step.get("uses") == "./.github/actions/kernel-coverage"]
    assert step["with"].keys() <= ACTION["inputs"].keys()
    (checkout,) = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
    assert checkout["with"]["fetch-depth"] == 0
    assert {**workflow.get("permissions", {}), **job.get("permissions", {})} == {"contents": "read", "pull-requests": "write"}
    return job, step


def test_the_workflow_of_the_guide():
    page = (ROOT / "docs/guide/ci.md").read_text(encoding="utf-8")
    github, _ = (yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S))
    _, step = uses(github)
    assert step["with"]["fail-under"] == 80 and len(step["with"]["pytest"].splitlines()) == 2
    rows = dict(re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \| (.*) \|$", page, re.M))
    assert {name for row in rows for name in re.findall("`([a-z-]+)`", row)} == set(ACTION["inputs"])


def test_the_workflow_of_this_project():
    """80 % of the new lines of a pull request must have run, in the tests that `make coverage` runs as well."""
    job, step = uses(yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")))
    assert step["if"] == "github.event_name == 'pull_request'" and step["with"]["fail-under"] == 80
    names = [one.get("run") or one["uses"] for one in job["steps"]]
    assert names.index("make test") < names.index("./.github/actions/kernel-coverage")
    phases = step["with"]["pytest"].splitlines()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    covered = re.search(r"pytest -q (tests/examples .*?) -k ", makefile)[1]
    assert phases[0] == f'{covered} -k "{re.search(r"^UNCOVERED = (.*)$", makefile, re.M)[1]}"'
    for phase in phases:
        for path in re.findall(r"tests/[\w./-]+", phase):
            assert (ROOT / path).exists(), path
