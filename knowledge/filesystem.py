"""The object store on any file system that fsspec knows: a local folder, S3, and others."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import fsspec

from knowledge.errors import BadInputError, NotFoundError, SettingsError, StoreUnavailableError

_DIGEST = re.compile(r"[0-9a-f]{64}")
_PROJECT = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class FilesystemObjects:
    """See `knowledge.objects.Objects`. An object lies at ROOT/PROJECT/ab/abcd…, named by its whole digest."""

    def __init__(self, url: str) -> None:
        """`url` is a folder, or as fsspec reads it (s3://BUCKET/PREFIX). SettingsError where nothing can open it."""
        parts = urlsplit(url)
        self._shown = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
        try:
            self._fs, self._root = fsspec.core.url_to_fs(url, use_listings_cache=False)
        except ImportError as error:
            raise SettingsError(f"ERRATA_OBJECTS_URL: {self._shown} needs a package: {error}") from error
        except (ValueError, OSError) as error:
            raise SettingsError(f"ERRATA_OBJECTS_URL: {self._shown} cannot be opened: {error}") from error

    def put(self, project: str, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(project, digest)
        with self._reached():
            if not self._fs.exists(path):
                self._write(path, data)
        return digest

    def get(self, project: str, digest: str) -> bytes:
        with self._reached():
            try:
                data: bytes = self._fs.cat_file(self._path(project, digest))
            except FileNotFoundError:
                raise NotFoundError(f"no object {digest} in the project {project!r}") from None
        if hashlib.sha256(data).hexdigest() != digest:
            raise NotFoundError(f"the object {digest} is damaged: restore it from a backup")
        return data

    def missing(self, project: str, digests: Iterable[str]) -> list[str]:
        with self._reached():
            return [digest for digest in digests if not self._fs.exists(self._path(project, digest))]

    def ping(self) -> str:
        with self._reached():
            self._fs.exists(self._root)
        return self._shown

    def _path(self, project: str, digest: str) -> str:
        if not _PROJECT.fullmatch(project) or not _DIGEST.fullmatch(digest):
            raise BadInputError(f"{digest[:80]!r} is no digest of an object: that is 64 of 0-9 and a-f")
        return str(PurePosixPath(self._root, project, digest[:2], digest))

    def _write(self, path: str, data: bytes) -> None:
        """On local disks beside its place first, then moved there; elsewhere a write is whole or nothing by itself."""
        if not _is_local(self._fs):
            self._fs.pipe_file(path, data)
            return
        draft = f"{path}.{secrets.token_hex(6)}.part"
        self._fs.makedirs(str(PurePosixPath(path).parent), exist_ok=True)
        self._fs.pipe_file(draft, data)
        self._fs.mv(draft, path)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            told = error.strerror or str(error) or type(error).__name__
            raise StoreUnavailableError(
                f"the object store at {self._shown} does not answer: {told}"
            ) from error


def _is_local(filesystem: Any) -> bool:
    names = filesystem.protocol
    return "file" in ((names,) if isinstance(names, str) else names)
