"""The pages: every one is linked, every link leads somewhere, every command that the README names exists."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGES = sorted(
    [*ROOT.glob("*.md"), *DOCS.glob("**/*.md"), *ROOT.glob("examples/**/*.md"), *ROOT.glob("client/*.md")]
)


def links(page: Path) -> list[str]:
    return LINK.findall(page.read_text(encoding="utf-8"))


def relative(page: Path) -> list[Path]:
    found = (link.partition("#")[0] for link in links(page) if "://" not in link)
    return [(page.parent / link).resolve() for link in found if link]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_resolves(page: Path) -> None:
    missing = [str(target) for target in relative(page) if not target.exists()]
    assert not missing


def test_every_page_of_the_documentation_is_in_its_index() -> None:
    linked = set(relative(DOCS / "index.md"))
    assert set(DOCS.glob("**/*.md")) - linked - {DOCS / "index.md"} == set()


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md", "CONTRIBUTING.md", "examples/README.md"])
def test_every_make_target_that_a_page_names_exists(name: str) -> None:
    named = set(
        re.findall(r"(?:^ {4}|`)make ([a-z]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    )
    there = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert named
    assert named <= there


def test_both_readmes_have_the_same_links_code_and_headings() -> None:
    english, chinese = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh-CN.md")
    )
    assert LINK.findall(english)[1:] == LINK.findall(chinese)[1:]
    assert english.count("\n## ") == chinese.count("\n## ")
    assert english.count("\n- ") == chinese.count("\n- ")
    assert commands(english) == commands(chinese)


def commands(text: str) -> list[str]:
    """The shell lines, and the code of the fenced blocks, without what follows a #."""
    lines = re.findall(r"^ {4}(?:make|\.venv).*", text, re.MULTILINE)
    blocks = re.findall(r"```(?:python|json)\n(.*?)```", text, re.DOTALL)
    return [line.partition(" #")[0].strip() for line in [*lines, *"\n".join(blocks).splitlines()]]


def committed() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


MACHINE = re.compile(r"(?<![\w.])/(?:work|root|home|tmp)/[A-Za-z0-9_.-]")
REGISTRY = re.compile(
    r"\b(?:pypi\.org|files\.pythonhosted\.org|download\.pytorch\.org|registry\.npmjs\.org|docker\.io|ghcr\.io|quay\.io"
    r"|docker\.elastic\.co|index-url\s+https?://)"
)


def test_no_committed_file_names_a_path_of_a_machine_or_a_package_registry() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path in committed()
        if path != Path(__file__).resolve()
        for number, line in enumerate(
            path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1
        )
        if MACHINE.search(line) or REGISTRY.search(line)
    ]
    assert not found


@pytest.mark.parametrize("line", ["see /work" + "/main/x", "open('/root" + "/.cache')", "from pypi" + ".org"])
def test_such_a_line_would_be_found(line: str) -> None:
    assert MACHINE.search(line) or REGISTRY.search(line)
