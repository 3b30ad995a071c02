"""The store in Elasticsearch."""

from knowledge.elastic.store import ElasticStore

__all__ = ["ElasticStore"]
