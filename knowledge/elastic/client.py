"""The HTTP client of one cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from elastic_transport import BaseNode, NodeConfig
from elasticsearch import Elasticsearch

from knowledge.elastic.address import Address
from knowledge.errors import SettingsError

_TIMEOUT_SECONDS = 60.0
_CONNECTIONS = 40


def make_client(address: Address, node_class: type[BaseNode] | None) -> Elasticsearch:
    """A client that neither retries by itself nor waits: the connection does. Nothing is sent yet."""
    options: dict[str, Any] = {"node_class": node_class} if node_class else {}
    node = NodeConfig(
        address.scheme,
        address.host,
        address.port,
        path_prefix=address.path,
        connections_per_node=_CONNECTIONS,
        **_tls(address),
    )
    return Elasticsearch(
        [node],
        api_key=address.api_key,
        basic_auth=None if address.api_key else address.basic_auth,
        request_timeout=_TIMEOUT_SECONDS,
        max_retries=0,
        retry_on_status=(),
        **options,
    )


def _tls(address: Address) -> dict[str, Any]:
    if address.scheme != "https" or address.verify is True:
        return {}
    if isinstance(address.verify, Path):
        if not address.verify.is_file():
            raise SettingsError(f"{address.verify}: no such file; ca is the authority's certificate (PEM)")
        return {"ca_certs": str(address.verify)}
    return {"verify_certs": False, "ssl_show_warn": False}
