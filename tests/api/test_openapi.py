"""The OpenAPI document: every route has a summary, an example, a scope and the errors that it answers."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

from api import (
    cause_review,
    causes,
    decisions,
    deliveries,
    examples,
    health,
    labels,
    nights,
    orders,
    paging,
    problems,
    projects,
    strategies,
    strategy_life,
)
from errata_client.bundle import Bundle
from errata_client.decision import Decision, DecisionReport
from errata_client.run import Run
from errata_client.view import CallView
from ingest.service import IngestReport
from knowledge.cases import FailureCase
from knowledge.causes import Label
from knowledge.deliveries import Delivery
from knowledge.effects import Effect
from knowledge.nights import AuditEntry, Night, Project

WITHOUT_BODY = {"/v1/projects/{project}", "/v1/projects/{project}/deliveries/test"}
OTLP = "/v1/traces"
"""The route whose errors are google.rpc.Status, as its protocol says."""

OPEN = {"/healthz", "/readyz", "/metrics"}
EXAMPLES: dict[str, type[Any]] = {
    "ALIVE": health.Alive,
    "READY": health.Ready,
    "PROJECT": Project,
    "RUN": Run,
    "INGEST_REPORT": IngestReport,
    "VIEW": CallView,
    "CASE": FailureCase,
    "PROBLEM": problems.ProblemView,
    "STATUS_CHANGE": problems.StatusChange,
    "LABEL_GIVEN": labels.LabelGiven,
    "LABEL": Label,
    "CAUSE_MERGE": cause_review.CauseMerge,
    "CAUSE_SPLIT": cause_review.CauseSplit,
    "CAUSE_VIEW": causes.CauseView,
    "ORDER": orders.OrderView,
    "ORDER_ANSWER": orders.Answer,
    "ORDER_MERGE": orders.Merge,
    "STRATEGY": strategies.StrategyView,
    "REVIEW": strategies.Verdict,
    "APPROVAL": strategies.Approval,
    "EDIT": strategies.Edit,
    "EXTENSION": strategy_life.Extension,
    "SHARE": strategy_life.Share,
    "EFFECT": Effect,
    "DELIVERY": Delivery,
    "DELIVERY_TEST": deliveries.TargetsTried,
    "BUNDLE": Bundle,
    "DECISION": Decision,
    "REPORTS": decisions.Reports,
    "REPORTS_TAKEN": decisions.ReportsTaken,
    "NIGHT": Night,
    "NIGHT_WITH_STAGES": nights.NightView,
    "AUDIT_ENTRY": AuditEntry,
}


@pytest.fixture
def document(client: TestClient) -> dict[str, Any]:
    return client.get("/openapi.json").json()


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]


def test_every_route_has_a_summary_and_says_what_it_does(document: dict[str, Any]) -> None:
    found = operations(document)

    assert len(found) >= 30
    assert [path for path, _, operation in found if not operation.get("summary")] == []
    assert [path for path, _, operation in found if len(operation.get("description", "")) < 15] == []


def test_every_route_shows_an_example_of_its_answer_and_of_its_body(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        good = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
        assert len(good) == 1, path
        assert all(content.get("example") for content in good[0]["content"].values()), path
        if "requestBody" in operation:
            assert all(content.get("example") for content in operation["requestBody"]["content"].values()), (
                path
            )
        assert ("requestBody" in operation) == (method in {"post", "put"} and path not in WITHOUT_BODY)


def test_every_route_documents_its_errors_as_problems(document: dict[str, Any]) -> None:
    for path, _, operation in operations(document):
        bad = {status: answer for status, answer in operation["responses"].items() if status >= "400"}
        if path not in OPEN:
            assert {"401", "503"} <= set(bad), path
            assert operation["security"] == [{"bearer": []}]
            assert operation["x-scope"]
        for status, answer in bad.items():
            if path == OTLP:
                assert set(answer["content"]) == {"application/json", "application/x-protobuf"}
                continue
            example = answer["content"]["application/problem+json"]["example"]
            assert str(example["status"]) == status


def test_every_edit_of_a_strategy_documents_if_match_and_what_happens_without(
    document: dict[str, Any],
) -> None:
    edits = [
        operation
        for path, method, operation in operations(document)
        if "/strategies/{strategy_id}/" in path and method in {"post", "put"}
    ]

    assert len(edits) == 8
    for operation in edits:
        assert "If-Match" in {given["name"] for given in operation["parameters"]}
        assert {"409", "412", "428"} <= set(operation["responses"])


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    def references(value: object) -> list[str]:
        if isinstance(value, dict):
            own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            return own + [found for item in value.values() for found in references(item)]
        return [found for item in value for found in references(item)] if isinstance(value, list) else []

    found = {reference.removeprefix("#/components/schemas/") for reference in references(document)}

    assert found
    assert found <= set(document["components"]["schemas"])


def test_every_path_parameter_is_declared_once(document: dict[str, Any]) -> None:
    for path, _, operation in operations(document):
        wanted = sorted(part[1:-1] for part in path.split("/") if part.startswith("{"))
        declared = sorted(given["name"] for given in operation.get("parameters", ()) if given["in"] == "path")
        assert declared == wanted, path


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_what_they_stand_for(name: str) -> None:
    TypeAdapter(EXAMPLES[name]).validate_python(getattr(examples, name))


def test_the_examples_of_lists_and_of_reports_are_too() -> None:
    TypeAdapter(paging.Listed[problems.ProblemView]).validate_python(examples.page(examples.PROBLEM))
    TypeAdapter(projects.Projects).validate_python({"items": [examples.PROJECT]})
    DecisionReport.model_validate(examples.REPORTS["reports"][0])


def test_the_page_that_shows_the_document_is_there(client: TestClient) -> None:
    assert client.get("/docs").status_code == 200
