"""Runs in: whatever the agents left behind, spooled to a file and given to ingestion."""

from __future__ import annotations

import codecs
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, BinaryIO, cast

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.audit import note
from api.limits import pieces
from api.openapi import described, parameter
from api.replies import reply
from api.service import Visit, visiting
from ingest.service import IngestReport, ingest_file
from knowledge.errors import BadInputError

router = APIRouter()
DEFAULT = "native_jsonl"
SOURCE = parameter(
    "query", "source", {"type": "string", "default": DEFAULT}, "the adapter that reads the body, or `auto`"
)
BINARY = frozenset({"application/x-protobuf", "application/octet-stream"})


@router.post(
    "/v1/projects/{project}/runs",
    **described(
        "Ingest runs",
        answer=IngestReport,
        example=examples.INGEST_REPORT,
        scope="ingest",
        errors=(400, 401, 403, 404, 413, 415, 422, 429, 503),
        parameters=(SOURCE,),
        body_content={
            "application/json": {"example": [examples.RUN]},
            "application/x-ndjson": {"example": examples.RUN},
        },
    ),
)
async def runs(request: Request, visit: Annotated[Visit, Depends(visiting("ingest"))]) -> Response:
    """Native runs as JSON lines or as an array; with `?source=` any format there is an adapter for.
    Gzip is read. Ingesting the same twice changes nothing. What could not be read is listed; where nothing could, the
    answer is 400. Where as many bodies as may be are being taken in, it is 429: send it again after `Retry-After`."""
    source = request.query_params.get("source", DEFAULT)
    limit = visit.service.errata.settings.max_body_bytes
    with visit.service.underway.place(), tempfile.TemporaryDirectory(prefix="errata-") as folder:
        path = Path(folder) / "body"
        await spool(path, checked_text(request, pieces(request, limit)))
        report = await run_in_threadpool(ingest, visit, path, source)
    return reply(report)


def ingest(visit: Visit, path: Path, source: str) -> IngestReport:
    """Ingest a spooled body; BadInputError if nothing in it could be read."""
    errata = visit.service.errata
    try:
        report = ingest_file(path, source, visit.shift, errata.masker(visit.project))
    except BadInputError as error:
        raise BadInputError(str(error).replace(str(path), "the body")) from None
    visit.service.metrics.not_analysed.labels(visit.project).inc(len(report.not_analysed))
    if not report.runs and report.not_analysed:
        first = report.not_analysed[0]
        raise BadInputError(
            f"nothing in this body could be read as {report.source}: {first.position}: {first.reason}"
        )
    note(
        visit,
        "runs.ingested",
        source,
        visit.token.name,
        details={"runs": report.runs, "new_cases": report.new_cases},
    )
    return report


async def spool(path: Path, body: AsyncIterator[bytes]) -> None:
    """Write the body to the file as it arrives; BadInputError if there is none."""
    size = 0
    file = cast("BinaryIO", await run_in_threadpool(path.open, "wb"))
    try:
        async for piece in body:
            size += len(piece)
            await run_in_threadpool(file.write, piece)
    finally:
        await run_in_threadpool(file.close)
    if not size:
        raise BadInputError("the body is empty: send runs")


async def checked_text(request: Request, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same pieces; BadInputError at the first byte that is no UTF-8, unless the body says that it is binary."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() in BINARY:
        async for piece in body:
            yield piece
        return
    decoder, passed = codecs.getincrementaldecoder("utf-8")(), 0
    async for piece in body:
        _decode(decoder, piece, passed)
        passed += len(piece)
        yield piece
    _decode(decoder, b"", passed, last=True)


def _decode(decoder: codecs.IncrementalDecoder, piece: bytes, passed: int, *, last: bool = False) -> None:
    held = len(decoder.getstate()[0])
    try:
        decoder.decode(piece, last)
    except UnicodeDecodeError as error:
        position = passed - held + error.start
        raise BadInputError(f"the body is not UTF-8: {error.reason} at byte {position}") from error
