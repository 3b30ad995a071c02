"""The page on the HTTP service names each route."""

from __future__ import annotations

from pathlib import Path

from api.app import ROUTES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"


def test_the_page_lists_every_route_and_no_other() -> None:
    routes = {
        f"`{method} {route.path}`"
        for resource in ROUTES
        for route in resource.router.routes
        for method in route.methods - {"HEAD"}
    }
    listed = {
        cell.strip()
        for line in PAGE.read_text().splitlines()
        for cell in line.split("|")
        if "`" in cell and "/" in cell and line.startswith("| `")
    }

    assert listed == routes
