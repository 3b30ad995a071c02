"""The service over HTTP."""

from __future__ import annotations

from fastapi import FastAPI

from api import (
    audit,
    bundle,
    cases,
    cause_review,
    causes,
    decide,
    decisions,
    deliveries,
    errors,
    health,
    labels,
    nights,
    openapi,
    orders,
    probes,
    problems,
    projects,
    runs,
    strategies,
    strategy_life,
    tools,
    traces,
)
from api.auth import Gate
from api.metrics import Metrics
from api.middleware import Observed
from api.published import Published
from api.service import Service
from api.settling import settling
from api.underway import Underway
from wiring.build import Errata

TITLE = "Errata"
VERSION = "0.1.0"
ABOUT = (
    "Runs of agents in, failure cases, root causes and reviewed rules out. Every route but the health ones wants "
    "`Authorization: Bearer TOKEN`; every error is a problem document (RFC 9457) with a `code`."
)
ROUTES = (
    bundle,
    health,
    projects,
    runs,
    traces,
    probes,
    cases,
    problems,
    labels,
    causes,
    cause_review,
    orders,
    tools,
    strategies,
    strategy_life,
    decide,
    decisions,
    deliveries,
    nights,
    audit,
)


def create_app(errata: Errata) -> FastAPI:
    """The app over the assembled parts. It neither opens nor closes them: who built them does."""
    underway = Underway(errata.settings.max_ingests)
    service = Service(errata, Gate(errata), Published(errata), Metrics(errata), underway)
    app = FastAPI(title=TITLE, version=VERSION, description=ABOUT, redoc_url=None, lifespan=settling(errata))
    app.state.service = service
    app.add_middleware(Observed, metrics=service.metrics)
    errors.install(app)
    openapi.install(app)
    for resource in ROUTES:
        app.router.routes.extend(resource.router.routes)
    return app
