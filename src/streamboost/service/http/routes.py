"""Every route of the service; what they do is the store's business."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route

from streamboost.service.http import bodies
from streamboost.service.http.documented import document, operation
from streamboost.service.http.errors import WrongType
from streamboost.service.http.hot import Lines, Verb
from streamboost.service.http.live import Live
from streamboost.service.http.tokens import Token
from streamboost.service.store import BadRequest, Conflict, Refused, Work
from streamboost.service.store.candidates import Reader
from streamboost.service.store.queries import LISTS, finite, text
from streamboost.service.store.records import Features, Kind
from streamboost.service.store.store import READ_WAIT, check

if TYPE_CHECKING:
    from streamboost.service.http.app import Service

SCOPE_OF = {"act": "predict", "reward": "label"}
"""The scope of verbs that have none of their own name."""
MOST_SAMPLED = 1_000
"""Features of an event that is explained by asking about it without some of them."""
SEQ = {"type": "integer", "minimum": 0, "maximum": 2**62}
WINDOW = {"type": "integer", "minimum": 1, "maximum": 1000, "default": 1000}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
FEW = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
STATE = {"type": "string", "enum": list(LISTS), "x-required": True}
CONFIRM = {"type": "string", "x-required": True}
SHADOW = {"shadow": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"}}


def answered(content: Any, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(msgspec.json.encode(content), status_code=status, media_type="application/json")


Act = Callable[[Request], Awaitable[Response]]


class CountedRoute(Route):
    """A route that leaves itself in the scope, where the metrics look for its path."""

    def matches(self, scope: Any) -> tuple[Match, Any]:
        """Whether a request is meant."""
        match, found = super().matches(scope)
        return match, {**found, "route": self}


class Table:
    """Routes, and the document that describes them."""

    def __init__(self) -> None:
        self.routes: list[Route] = []
        self._paths: dict[str, Any] = {}
        self.routes.append(Route("/openapi.json", self._document))

    def add(self, method: str, path: str, act: Act, scope: str | None, **described: Any) -> None:
        """Let a method of a path be answered by an act, for tokens of a scope."""
        route = CountedRoute(path, act, methods=[method])
        route.methods = {method}  # no HEAD: nobody needs the length of an answer beforehand
        self.routes.append(route)
        self._paths.setdefault(path, {})[method.lower()] = {
            "summary": (act.__doc__ or "").strip().split("\n")[0],
            "operationId": f"{method.lower()}{path.replace('/', '_').replace('{', '').replace('}', '')}",
            **operation(scope, **described),
        }

    async def _document(self, request: Request) -> Response:
        return JSONResponse(document(self._paths))


def make_routes(service: Service) -> tuple[list[Route], dict[str, Act]]:
    """All routes, and the acts of the hot verbs."""
    routes, table = Routes(service), Table()
    verbs: dict[str, type] = {
        "predict": bodies.Predict,
        "label": bodies.Truth,
        "learn": bodies.LabelledEvent,
        "act": bodies.Act,
        "reward": bodies.Reward,
    }
    hot = {verb: routes.hot(verb) for verb in verbs}
    for verb, body in verbs.items():
        query = {"at_least_seq": SEQ} if verb == "predict" else None
        path, scope = f"/v1/models/{{model}}/{verb}", SCOPE_OF.get(verb, verb)
        table.add("POST", path, hot[verb], scope, body=body, lines=True, query=query)
    one, many = "/v1/models/{model}", "/v1/models"
    table.add("GET", many, routes.models, "read", name=False)
    table.add("POST", many, routes.create, "admin", body=bodies.Create, name=False, status=201)
    table.add("GET", one, routes.describe, "read")
    table.add("DELETE", one, routes.delete, "admin", query={"confirm": CONFIRM})
    table.add("GET", f"{one}/scores", routes.scores, "read", query={"window": WINDOW})
    table.add("GET", f"{one}/report", routes.report, "read")
    table.add("POST", f"{one}/explain", routes.explain, "explain", body=bodies.Predict)
    table.add("GET", f"{one}/events", routes.events, "read", query={"state": STATE, "limit": LIMIT})
    table.add("GET", f"{one}/queries", routes.queries, "read", query={"limit": FEW})
    table.add("GET", f"{one}/snapshots", routes.snapshots, "read")
    table.add("POST", f"{one}/snapshots", routes.snapshot, "admin", status=201)
    table.add("POST", f"{one}/classes", routes.allow, "admin", body=bodies.Allow)
    table.add("POST", f"{one}/rollback", routes.rollback, "admin", body=bodies.Rollback)
    table.add("POST", f"{one}/shadows", routes.add_shadow, "admin", body=bodies.Shadow, status=201)
    table.add("DELETE", f"{one}/shadows/{{shadow}}", routes.drop_shadow, "admin", more_path=SHADOW)
    table.add("POST", f"{one}/promote", routes.promote, "admin", body=bodies.Promote)
    table.add(
        "GET", f"{one}/file", routes.file, "admin", query={"seq": SEQ}, answer="application/octet-stream"
    )
    table.add("PUT", f"{one}/file", routes.put_file, "admin", file=True)
    table.add("GET", f"{one}/live", routes.live, "read", answer="text/event-stream")
    table.add("GET", "/healthz", routes.health, None, name=False)
    table.add("GET", "/readyz", routes.ready, None, name=False)
    table.add("GET", "/metrics", routes.metrics, "read", name=False, answer="text/plain")
    return table.routes, hot


class Routes:
    """The acts behind the paths."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._store = service.store

    def _enter(self, request: Request, scope: str) -> tuple[str, Token]:
        model = request.path_params.get("model")
        token = self._service.auth.check(request.headers.get("authorization"), scope, model)
        return model or "", token

    async def _work(self, act: Callable[[], Any]) -> Any:
        return await asyncio.to_thread(act)

    async def _reader(self, model: str, at_least_seq: int) -> Reader:
        """What answers once it knows a record; waiting for it costs no thread."""
        future = asyncio.wrap_future(self._store.reader_knowing(model, at_least_seq))
        try:
            return await asyncio.wait_for(future, READ_WAIT)
        except (TimeoutError, asyncio.TimeoutError) as error:  # two classes until Python 3.11
            raise self._store.not_reached(model, at_least_seq, READ_WAIT) from error

    def hot(self, verb: str) -> Callable[[Request], Awaitable[Response]]:
        """Return the act of a verb that single bodies and lines share."""

        async def act(request: Request) -> Response:
            model, _ = self._enter(request, SCOPE_OF.get(verb, verb))
            kind = request.headers.get("content-type", "application/json").split(";")[0].strip().lower()
            if kind not in ("application/json", "application/x-ndjson"):
                raise WrongType(
                    f"The body is {kind[:80]!r}; application/json and application/x-ndjson are read.",
                    field="Content-Type",
                    hint="With curl: -H 'Content-Type: application/json' for one object, or --data-binary @FILE "
                    "-H 'Content-Type: application/x-ndjson' for one object per line.",
                )
            at_least = _number(request, "at_least_seq", None) if verb == "predict" else None
            reader = None
            if at_least is not None:
                reader = await self._reader(model, at_least)
            one = Verb(self._store, verb, model, reader)
            if kind == "application/x-ndjson":
                return Lines(one)
            return answered(await one.one(await request.body()))

        act.__doc__ = {
            "predict": "Answer an event; with an id it is recorded, so that its label may come later.",
            "label": "Record the truth about an event; it is learned with the features of its id.",
            "learn": "Record an event with its label and learn it.",
            "act": "Let a bandit choose the label to show for an event; it is recorded, so that its reward may come later.",
            "reward": "Record whether the label that was shown was right; it is learned once.",
        }[verb]
        return act

    async def models(self, request: Request) -> Response:
        """All models."""
        _, token = self._enter(request, "read")
        names = [n for n in self._store.names if token.model in (None, n)]
        found = await self._work(lambda: [self._store.describe(name) for name in names])
        return answered({"models": finite(found)})

    async def create(self, request: Request) -> Response:
        """Make a model."""
        _, token = self._enter(request, "admin")
        body = bodies.read(await request.body(), bodies.Create)
        fields = msgspec.structs.asdict(body)
        name, keep, limits = fields.pop("name"), fields.pop("keep_events_s"), fields.pop("limits")
        seq = await self._work(
            lambda: self._store.create(name, keep_events_s=keep, limits=limits, by=token.name, **fields)
        )
        return answered({"name": name, "seq": seq}, 201)

    async def describe(self, request: Request) -> Response:
        """What a model is and how it stands."""
        model, _ = self._enter(request, "read")
        return answered(finite(await self._work(lambda: self._store.describe(model))))

    async def delete(self, request: Request) -> Response:
        """Forget a model and all its records."""
        model, token = self._enter(request, "admin")
        self._store.stream(model)
        if request.query_params.get("confirm") != model:
            raise BadRequest(
                "This cannot be undone.", hint=f"Add ?confirm={model} if it is meant.", field="confirm"
            )
        return answered({"seq": await self._work(lambda: self._store.delete(model, by=token.name))})

    async def scores(self, request: Request) -> Response:
        """How well the model does, and its shadows beside it."""
        model, _ = self._enter(request, "read")
        window = _number(request, "window", 1000, 1, 1000)
        return answered(finite(await self._work(lambda: self._store.scores(model, window or 1000))))

    async def report(self, request: Request) -> Response:
        """What the library reports of the model: edges, weights, bounds."""
        model, _ = self._enter(request, "read")
        return answered(await self._work(lambda: self._store.report(model)))

    async def explain(self, request: Request) -> Response:
        """Contributions of the features to an answer."""
        model, _ = self._enter(request, "explain")
        body = bodies.read(await request.body(), bodies.Predict)
        reader = self._store.reader(model)
        if reader.model is None or not hasattr(reader.model, "explain_one"):
            raise Conflict(f"The model {model!r} cannot explain its answers, or has learned nothing yet.")
        check(Work(Kind.EVENT, body.id, body.features), self._store.stream(model).limits)
        try:
            found = await self._work(lambda: _explain(reader.model, body.features))
        except (ValueError, TypeError) as error:
            raise Refused(" ".join(str(error).split()), field="features") from error
        parts = {text(column): value for column, value in found.contributions.items()}
        answer: dict[str, Any] = {"label": found.label, "base": found.base, "score": found.score}
        answer["contributions"] = parts
        if found.words:
            answer["words"] = {text(column): shares for column, shares in found.words.items()}
        return answered(finite({"seq": reader.seq, **answer}))

    async def events(self, request: Request) -> Response:
        """Records that wait or were put aside, newest first."""
        model, _ = self._enter(request, "read")
        limit = _number(request, "limit", 100, 1, 1000)
        state = request.query_params.get("state")
        if state is None:
            raise BadRequest(f"state is missing; it must be one of {', '.join(LISTS)}.", field="state")
        found = await self._work(lambda: self._store.events(model, state, limit or 100))
        return answered({"events": finite(found)})

    async def queries(self, request: Request) -> Response:
        """Waiting events that most deserve a label, newest first."""
        model, _ = self._enter(request, "read")
        limit = _number(request, "limit", 20, 1, 100)
        return answered(finite(await self._work(lambda: self._store.label_wishes(model, limit or 20))))

    async def snapshots(self, request: Request) -> Response:
        """The snapshots that are kept, and the oldest number that can be gone back to."""
        model, _ = self._enter(request, "read")
        return answered(await self._work(lambda: self._store.snapshots(model)))

    async def snapshot(self, request: Request) -> Response:
        """Write a snapshot now."""
        model, _ = self._enter(request, "admin")
        return answered({"seq": await self._work(lambda: self._store.snapshot(model))}, 201)

    async def rollback(self, request: Request) -> Response:
        """Go back to the state after a record; a record itself, so that it can be undone."""
        model, token = self._enter(request, "admin")
        body = bodies.read(await request.body(), bodies.Rollback)
        if not 0 <= body.seq <= 2**62:
            raise BadRequest(f"seq is {body.seq}; it must be a sequence number.", field="seq")
        seq = await self._work(lambda: self._store.rollback(model, body.seq, by=token.name))
        kept = await self._work(lambda: self._store.snapshots(model))
        return answered({"seq": seq, "target": body.seq, "oldest": kept["oldest"], "newest": kept["newest"]})

    async def allow(self, request: Request) -> Response:
        """Let a label become a class where new ones are asked for."""
        model, token = self._enter(request, "admin")
        body = bodies.read(await request.body(), bodies.Allow)
        return answered(
            {"seq": await self._work(lambda: self._store.allow(model, body.label, by=token.name))}
        )

    async def add_shadow(self, request: Request) -> Response:
        """Let another model learn from the same examples without answering."""
        model, token = self._enter(request, "admin")
        fields = msgspec.structs.asdict(bodies.read(await request.body(), bodies.Shadow))
        name = fields.pop("name")
        seq = await self._work(lambda: self._store.add_shadow(model, name, by=token.name, **fields))
        return answered({"name": name, "seq": seq}, 201)

    async def drop_shadow(self, request: Request) -> Response:
        """Let a shadow go."""
        model, token = self._enter(request, "admin")
        shadow = request.path_params["shadow"]
        return answered(
            {"seq": await self._work(lambda: self._store.drop_shadow(model, shadow, by=token.name))}
        )

    async def promote(self, request: Request) -> Response:
        """Let a shadow answer; the champion becomes a shadow."""
        model, token = self._enter(request, "admin")
        body = bodies.read(await request.body(), bodies.Promote)
        return answered(
            {"seq": await self._work(lambda: self._store.promote(model, body.shadow, by=token.name))}
        )

    async def file(self, request: Request) -> Response:
        """The model file, now or after a record."""
        model, _ = self._enter(request, "admin")
        seq = _number(request, "seq", None)
        data = await self._work(lambda: self._store.file(model, seq))
        return Response(data, media_type="application/octet-stream")

    async def put_file(self, request: Request) -> Response:
        """Go on from a model file."""
        model, token = self._enter(request, "admin")
        self._store.stream(model)
        data = await request.body()
        return answered({"seq": await self._work(lambda: self._store.put_file(model, data, by=token.name))})

    async def live(self, request: Request) -> Response:
        """Everything the page shows, once a second."""
        model, _ = self._enter(request, "read")
        self._store.stream(model)
        return Live(self._service.watcher, model, self._service.stopping)

    async def health(self, request: Request) -> Response:
        """The process is alive; with shards: how they are."""
        shards = self._service.store.shards()
        return answered({"status": "alive", **({"shards": shards} if shards["shards"] else {})})

    async def ready(self, request: Request) -> Response:
        """The log is replayed and the disk takes data."""
        return answered(*self._service.readiness())

    async def metrics(self, request: Request) -> Response:
        """For Prometheus."""
        self._enter(request, "read")
        text = await self._work(self._service.metrics.text)
        return Response(text, media_type="text/plain; version=0.0.4")


def _explain(model: Any, features: Features) -> Any:
    """Explain an event. Where there is no closed form this takes the square of its features."""
    if len(features) > MOST_SAMPLED:
        name = next(iter(features))
        if model.explain_one({name: features[name]}).method == "sampled":
            raise Refused(
                f"The event has {len(features):,} features; of a model without a closed form for its contributions at most "
                f"{MOST_SAMPLED:,} are explained here.",
                hint="Load its file, and call explain_one with as many orders as you have time for.",
                field="features",
            )
    return model.explain_one(features)


def _number(request: Request, name: str, default: int | None, low: int = 0, high: int = 2**62) -> int | None:
    given = request.query_params.get(name)
    if given is None:
        return default
    if not (given.isascii() and given.isdigit() and len(given) < 20 and low <= int(given) <= high):
        raise BadRequest(
            f"{name} is {given[:40]!r}; it must be a whole number from {low} to {high}.", field=name
        )
    return int(given)
