"""From records to runs: what every adapter of records does alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pydantic import ValidationError

from errata_client.faults import faults_told
from errata_client.model import JsonValue
from errata_client.run import Run
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.records import Opening, Record, Unreadable, records

Convert = Callable[[JsonValue, str], tuple[Run, list[NotAnalysed]]]
"""One record and its position to a run and what of it could not be used; RecordError where it is no run."""


def read_records(opening: Opening, convert: Convert) -> Iterator[Run | NotAnalysed]:
    """Every record of the file converted."""
    return converted(records(opening), convert)


def converted(items: Iterable[Record | Unreadable], convert: Convert) -> Iterator[Run | NotAnalysed]:
    """Each record converted; one that cannot be is reported at its position, and the rest goes on."""
    for item in items:
        if isinstance(item, Unreadable):
            yield NotAnalysed(position=item.position, reason=item.reason)
            continue
        try:
            run, troubles = convert(item.value, item.position)
        except ValidationError as error:
            yield NotAnalysed(position=item.position, reason=faults_told(error))
        except RecordError as error:
            yield NotAnalysed(position=item.position, reason=str(error))
        else:
            yield run
            yield from troubles
