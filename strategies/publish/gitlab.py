"""GitLab: a branch with one YAML file per rule, and a merge request. Merging approves, closing rejects.

API v4: repository commits, merge requests, raw files. The token needs the scope `api`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

import httpx

from knowledge.deliveries import Delivery
from knowledge.strategies import Strategy
from strategies.conflicts import Conflict
from strategies.publish.port import Answer, Message, PublishError, Sent
from strategies.publish.rule_file import approval, file_name, rule_file
from strategies.publish.sending import ask, send
from strategies.publish.wording import conflicts, figures, rows, summary, title

GITLAB = "GitLab"


@dataclass(frozen=True)
class GitLab:
    """A project on a GitLab. `target` is the branch that is merged into; the files go to `folder`."""

    http: httpx.Client
    url: str
    token: str
    project: str
    target: str = "main"
    folder: str = "rules"
    name: str = "gitlab"

    def publish(self, message: Message) -> Sent:
        """A branch of the night with the files, and its merge request. What is there of it already is used again."""
        branch = f"errata/{message.project}/{message.day}-{message.drafts[0].strategy_id}"
        self._commit(branch, message)
        found = self._open_request(branch) or self._request(branch, message)
        return Sent(reference=str(found["iid"]), url=found.get("web_url"))

    def test(self) -> Sent:
        """Look whether the token may see the project and the target branch is there; nothing is written."""
        branch = self._get(f"/repository/branches/{quote(self.target, safe='')}").json()
        return Sent(reference=str(branch.get("name")), url=branch.get("web_url"))

    def answers(self, delivery: Delivery, drafts: Sequence[Strategy]) -> list[Answer]:
        """Of a merged request, the drafts whose files were merged are approved, as merged; the others, and all of a closed
        request, are rejected."""
        request = self._get(f"/merge_requests/{delivery.reference}").json()
        number = f"merge request !{delivery.reference}"
        if request["state"] == "closed":
            actor = _who(request, "closed_by")
            return [Answer(one.strategy_id, "rejected", actor, f"{number} was closed") for one in drafts]
        if request["state"] != "merged":
            return []
        actor = _who(request, "merge_user", "merged_by")
        return [self._merged(one, actor, number, request) for one in drafts]

    def _merged(self, draft: Strategy, actor: str, number: str, request: dict[str, Any]) -> Answer:
        commit = request.get("merge_commit_sha") or request.get("squash_commit_sha") or self.target
        path = quote(self._path(draft), safe="")
        answer = ask(
            self.http,
            "GET",
            self._url(f"/repository/files/{path}/raw"),
            GITLAB,
            params={"ref": commit},
            headers=self._headers(),
        )
        if answer.status_code == 404:
            return Answer(draft.strategy_id, "rejected", actor, f"{number} was merged without it")
        if answer.is_error:
            raise PublishError(f"GitLab answered {answer.status_code} for {self._path(draft)}")
        return approval(draft, actor, f"{number} was merged", answer.text, self._path(draft))

    def _commit(self, branch: str, message: Message) -> None:
        """The files on the branch, which is made if it is missing; files that are there are written anew."""
        for action in ("create", "update"):
            answer = self._try_commit(branch, message, action)
            if answer is None:
                return
        raise PublishError(f"GitLab took no commit on {branch}: {answer}")

    def _try_commit(self, branch: str, message: Message, action: Literal["create", "update"]) -> str | None:
        """None if it worked; else what GitLab said of files that are there already, or not yet."""
        known = ask(
            self.http,
            "GET",
            self._url(f"/repository/branches/{quote(branch, safe='')}"),
            GITLAB,
            headers=self._headers(),
        )
        body: dict[str, Any] = {
            "branch": branch,
            "commit_message": _heading(message),
            "actions": [
                {
                    "action": action,
                    "file_path": self._path(draft),
                    "content": rule_file(draft, message.conflicts_of(draft)),
                }
                for draft in message.drafts
            ],
        }
        if known.status_code == 404:
            body["start_branch"] = self.target
        answer = ask(
            self.http,
            "POST",
            self._url("/repository/commits"),
            GITLAB,
            json=body,
            headers=self._headers(),
        )
        if answer.is_success:
            return None
        text = " ".join(answer.text[:300].split())
        if answer.status_code != 400:
            raise PublishError(f"GitLab answered {answer.status_code}: {text}")
        return text

    def _open_request(self, branch: str) -> dict[str, Any] | None:
        found: list[dict[str, Any]] = self._get(
            "/merge_requests", source_branch=branch, target_branch=self.target
        ).json()
        return found[0] if found else None

    def _request(self, branch: str, message: Message) -> dict[str, Any]:
        body = {
            "source_branch": branch,
            "target_branch": self.target,
            "title": _heading(message),
            "description": description(message),
            "labels": "errata",
            "remove_source_branch": True,
        }
        answer = send(
            self.http, "POST", self._url("/merge_requests"), GITLAB, json=body, headers=self._headers()
        )
        made: dict[str, Any] = answer.json()
        return made

    def _path(self, draft: Strategy) -> str:
        return f"{self.folder}/{file_name(draft.strategy_id)}"

    def _get(self, path: str, **params: str) -> httpx.Response:
        return send(self.http, "GET", self._url(path), GITLAB, params=params, headers=self._headers())

    def _url(self, path: str) -> str:
        return f"{self.url.rstrip('/')}/api/v4/projects/{quote(self.project, safe='')}{path}"

    def _headers(self) -> dict[str, str]:
        return {"PRIVATE-TOKEN": self.token}


def description(message: Message) -> str:
    """The merge request's text: each rule with its figures and a table of before and after."""
    parts = [
        "Merging approves these rules as the files say, closing rejects them; delete a file to reject one rule.",
        "What has to be acknowledged is named under `acknowledge:` in the rule's file; without it the rule stays in review.",
        *(_told(draft, message.conflicts_of(draft)) for draft in message.drafts),
    ]
    return "\n\n".join([*parts, *([f"[Review in Errata]({message.link})"] if message.link else [])])


def _told(draft: Strategy, found: Sequence[Conflict]) -> str:
    lines = [f"### {_plain(title(draft))}", "", _plain(summary(draft)), "", f"*{_plain(figures(draft))}*"]
    ways = [f"- **{_plain(line)}**" for line in conflicts(found)]
    lines += ["", *ways] if ways else []
    shown = list(rows(draft))
    if shown:
        lines += ["", "| before | after |", "|---|---|"]
        lines += [f"| {_cell(before)} | {_cell(after)} |" for before, after in shown]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Text of cases is data: no markup, mention, quick action or reference of GitLab comes out of it."""
    return "".join(
        f"\\{character}" if character in "\\`*_{}[]<>()#+!|@~$%&/" else character for character in text
    )


def _cell(text: str) -> str:
    return _plain(text.replace("\n", " "))


def _heading(message: Message) -> str:
    many = len(message.drafts)
    return (
        f"Errata, {message.project}: {many} {'rule' if many == 1 else 'rules'} of the night of {message.day}"
    )


def _who(request: dict[str, Any], *fields: str) -> str:
    for field in fields:
        person = request.get(field)
        if isinstance(person, dict) and person.get("username"):
            return f"{person['username']} (GitLab)"
    return GITLAB
