"""GitLab as its API v4 speaks: branches, commits with file actions, merge requests, raw files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import httpx

TOKEN = "glpat-of-the-test"
PROJECT = "agents/rules"
URL = "https://gitlab.example.com"


@dataclass
class FakeGitLab:
    """A project with branches of files; people merge and close with `merge` and `close`."""

    branches: dict[str, dict[str, str]] = field(default_factory=lambda: {"main": {"README.md": "rules"}})
    requests: list[dict[str, Any]] = field(default_factory=list)
    commits: dict[str, dict[str, str]] = field(default_factory=dict)
    down: bool = False

    def client(self) -> httpx.Client:
        """A client that reaches it."""
        return httpx.Client(transport=httpx.MockTransport(self.answer))

    def merge(
        self, iid: int, *, by: str = "mei", without: str | None = None, edited: dict[str, str] | None = None
    ) -> None:
        """A person merges the request, perhaps with a file deleted or changed on its branch first."""
        request = self.requests[iid - 1]
        files = {
            path: text for path, text in self.branches[request["source_branch"]].items() if path != without
        }
        files |= edited or {}
        self.branches["main"] = {**self.branches["main"], **files}
        sha = f"sha{iid}"
        self.commits[sha] = dict(self.branches["main"])
        del self.branches[request["source_branch"]]
        request.update(state="merged", merge_user={"username": by}, merge_commit_sha=sha)

    def close(self, iid: int, *, by: str = "mei") -> None:
        """A person closes it."""
        self.requests[iid - 1].update(state="closed", closed_by={"username": by})

    def answer(self, request: httpx.Request) -> httpx.Response:
        """What GitLab says."""
        if self.down:
            raise httpx.ConnectError("connection refused", request=request)
        if request.headers.get("private-token") != TOKEN:
            return httpx.Response(401, json={"message": "401 Unauthorized"})
        root = "/api/v4/projects/agents%2Frules"
        path = request.url.raw_path.decode().partition("?")[0]
        if not path.startswith(root):
            return httpx.Response(404, json={"message": "404 Project Not Found"})
        parts = [unquote(part) for part in path.removeprefix(root).strip("/").split("/")]
        body = json.loads(request.content) if request.content else {}
        return self._routed(request.method, parts, body, dict(request.url.params))

    def _routed(
        self, method: str, parts: list[str], body: dict[str, Any], params: dict[str, str]
    ) -> httpx.Response:
        match method, parts:
            case "GET", ["repository", "branches", name]:
                return self._branch(name)
            case "POST", ["repository", "commits"]:
                return self._commit(body)
            case "GET", ["repository", "files", path, "raw"]:
                return self._file(path, params["ref"])
            case "GET", ["merge_requests"]:
                found = [one for one in self.requests if one["source_branch"] == params["source_branch"]]
                return httpx.Response(200, json=found)
            case "POST", ["merge_requests"]:
                return self._request(body)
            case "GET", ["merge_requests", iid]:
                return httpx.Response(200, json=self.requests[int(iid) - 1])
        return httpx.Response(404, json={"error": "404 Not Found"})

    def _branch(self, name: str) -> httpx.Response:
        if name not in self.branches:
            return httpx.Response(404, json={"message": "404 Branch Not Found"})
        return httpx.Response(200, json={"name": name, "web_url": f"{URL}/{PROJECT}/-/tree/{name}"})

    def _commit(self, body: dict[str, Any]) -> httpx.Response:
        name = body["branch"]
        if name not in self.branches and "start_branch" not in body:
            return httpx.Response(
                400, json={"message": "You can only create or edit files when you are on a branch"}
            )
        files = dict(self.branches.get(name) or self.branches[body["start_branch"]])
        for action in body["actions"]:
            there = action["file_path"] in files
            if action["action"] == "create" and there:
                return httpx.Response(400, json={"message": "A file with this name already exists"})
            if action["action"] == "update" and not there:
                return httpx.Response(400, json={"message": "A file with this name doesn't exist"})
            files[action["file_path"]] = action["content"]
        self.branches[name] = files
        return httpx.Response(201, json={"id": "c0ffee"})

    def _file(self, path: str, ref: str) -> httpx.Response:
        files = self.commits.get(ref) or self.branches.get(ref) or {}
        if path not in files:
            return httpx.Response(404, json={"message": "404 File Not Found"})
        return httpx.Response(200, text=files[path])

    def _request(self, body: dict[str, Any]) -> httpx.Response:
        if any(
            one["source_branch"] == body["source_branch"] and one["state"] == "opened"
            for one in self.requests
        ):
            return httpx.Response(409, json={"message": ["Another open merge request already exists"]})
        iid = len(self.requests) + 1
        made = {**body, "iid": iid, "state": "opened", "web_url": f"{URL}/{PROJECT}/-/merge_requests/{iid}"}
        self.requests.append(made)
        return httpx.Response(201, json=made)
