"""A folder for those without GitLab: `proposed/` holds the rules to review; a person moves each file to `approved/` or
`rejected/`. In a git repository every change of Errata's is a commit."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge.deliveries import Delivery
from knowledge.strategies import Strategy
from strategies.publish.port import Answer, Message, PublishError, Sent
from strategies.publish.rule_file import approval, file_name, rule_file

PROPOSED, APPROVED, REJECTED = "proposed", "approved", "rejected"
SECONDS = 60


@dataclass(frozen=True)
class Folder:
    """The folder at `path`, one subfolder a project."""

    path: Path
    name: str = "folder"

    def publish(self, message: Message) -> Sent:
        """Write the drafts under `proposed/`, but for those that a person has moved already."""
        try:
            for state in (PROPOSED, APPROVED, REJECTED):
                (self.path / message.project / state).mkdir(parents=True, exist_ok=True)
            for draft in message.drafts:
                if self._where(message.project, draft.strategy_id) in {None, PROPOSED}:
                    self._file(message.project, PROPOSED, draft.strategy_id).write_text(
                        rule_file(draft, message.conflicts_of(draft)), encoding="utf-8"
                    )
        except OSError as error:
            raise PublishError(f"{self.path}: {error.strerror or error}") from error
        self._commit(f"{message.project}: {len(message.drafts)} rules of the night of {message.day}")
        return Sent(reference=message.project, url=str(self.path / message.project / PROPOSED))

    def test(self) -> Sent:
        """Look whether the folder is there and can be written."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            probe = self.path / ".errata-test"
            probe.write_text("", encoding="utf-8")
            probe.unlink()
        except OSError as error:
            raise PublishError(f"{self.path}: {error.strerror or error}") from error
        return Sent(reference=str(self.path))

    def answers(self, delivery: Delivery, drafts: Sequence[Strategy]) -> list[Answer]:
        """What was moved; a file that is gone is no answer."""
        project = delivery.reference or ""
        found = [(draft, self._where(project, draft.strategy_id)) for draft in drafts]
        return [
            self._answer(project, draft, state) for draft, state in found if state in {APPROVED, REJECTED}
        ]

    def _answer(self, project: str, draft: Strategy, state: str | None) -> Answer:
        reason = f"{file_name(draft.strategy_id)} was moved to {state}"
        if state == REJECTED:
            return Answer(draft.strategy_id, "rejected", self.name, reason)
        path = self._file(project, APPROVED, draft.strategy_id)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PublishError(f"{path}: cannot be read: {error}") from error
        return approval(draft, self.name, reason, text, str(path))

    def _where(self, project: str, strategy_id: str) -> str | None:
        for state in (APPROVED, REJECTED, PROPOSED):
            if self._file(project, state, strategy_id).is_file():
                return state
        return None

    def _file(self, project: str, state: str, strategy_id: str) -> Path:
        return self.path / project / state / file_name(strategy_id)

    def _commit(self, words: str) -> None:
        """Nothing where the folder is in no git repository, or nothing changed."""
        if self._git("rev-parse", "--is-inside-work-tree").returncode != 0:
            return
        self._git("add", "--all", ".")
        if self._git("diff", "--cached", "--quiet", "--", ".").returncode == 0:
            return
        made = self._git(
            "-c",
            "user.name=errata",
            "-c",
            "user.email=errata@localhost",
            "commit",
            "-q",
            "-m",
            words,
            "--",
            ".",
        )
        if made.returncode != 0:
            raise PublishError(f"{self.path}: git did not commit: {made.stderr.strip()[:300]}")

    def _git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(  # noqa: S603 - our own words and a folder of the settings, no shell
                ["git", "-C", str(self.path), *arguments],  # noqa: S607 - the git that the person uses
                check=False,
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
        except FileNotFoundError:
            return subprocess.CompletedProcess(arguments, 127, "", "git is not installed")
        except subprocess.TimeoutExpired as error:
            raise PublishError(f"{self.path}: git took more than {SECONDS} s") from error
