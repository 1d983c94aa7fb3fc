"""The OpenAPI document: routes, bodies from the structs that decode them, answers, errors and examples."""

from __future__ import annotations

from importlib import metadata
from typing import Any

import msgspec

from streamboost.service.http import bodies

EXAMPLES: dict[type, Any] = {
    bodies.Predict: {"id": "order-17", "features": {"age": 31, "job": "clerk"}},
    bodies.Truth: {"id": "order-17", "label": "yes"},
    bodies.LabelledEvent: {"id": "order-18", "features": {"age": 52, "job": "nurse"}, "label": "no"},
    bodies.Act: {"id": "visit-3", "features": {"age": 31, "hour": 9}},
    bodies.Reward: {"id": "visit-3", "reward": 1},
    bodies.Create: {"name": "loans", "model": "osboost", "learner": "naive-bayes", "classes": ["no", "yes"]},
    bodies.Shadow: {"name": "challenger", "model": "bagging", "learner": "hoeffding-tree"},
    bodies.Rollback: {"seq": 1200},
    bodies.Promote: {"shadow": "challenger"},
    bodies.Allow: {"label": "maybe"},
}
_, _SCHEMAS = msgspec.json.schema_components(list(EXAMPLES), ref_template="#/components/schemas/{name}")
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint", "field"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "hint": {"type": ["string", "null"]},
                "field": {"type": ["string", "null"]},
            },
        }
    },
}
_WORDS = {
    "400": "The request is wrong; the message says where.",
    "401": "No token, or none that is known.",
    "403": "The token is not for this.",
    "404": "There is no such thing.",
    "405": "Not with this method.",
    "408": "The body did not come in time.",
    "409": "Not in this state.",
    "413": "Too large.",
    "415": "A body of a kind that is not read.",
    "422": "The model refuses it; it was put aside with the reason.",
    "429": "Too much at once; Retry-After says when to come again.",
    "503": "Not now; Retry-After says when to come again.",
}


def document(paths: dict[str, Any]) -> dict[str, Any]:
    """The document of all routes: path -> method -> :func:`operation`."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "streamboost",
            "summary": "Models that learn behind HTTP",
            "version": metadata.version("streamboost"),
        },
        "paths": paths,
        "components": {
            "schemas": {**_SCHEMAS, "Error": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def operation(
    scope: str | None,
    *,
    body: type | None = None,
    lines: bool = False,
    file: bool = False,
    answer: str = "application/json",
    status: int = 200,
    name: bool = True,
    query: dict[str, dict[str, Any]] | None = None,
    more_path: dict[str, dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """What the document says of a route."""
    parameters: list[dict[str, Any]] = []
    model = {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$", "example": "loans"}
    for key, schema in {**({"model": model} if name else {}), **(more_path or {})}.items():
        parameters.append({"name": key, "in": "path", "required": True, "schema": schema})
    for key, schema in (query or {}).items():
        needed = bool(schema.get("x-required"))
        shown = {k: v for k, v in schema.items() if k != "x-required"}
        parameters.append({"name": key, "in": "query", "required": needed, "schema": shown})
    found: dict[str, Any] = {
        "parameters": parameters,
        "responses": {
            str(status): {"description": "Done.", "content": {answer: {"schema": {}}}},
            **{
                code: {
                    "description": words,
                    "content": {"application/json": {"schema": {"$ref": _ref("Error")}}},
                }
                for code, words in _WORDS.items()
            },
        },
    }
    if scope is not None:
        found["security"] = [{"token": [scope]}]
    if body is not None:
        content: dict[str, Any] = {
            "application/json": {"schema": {"$ref": _ref(body.__name__)}, "example": EXAMPLES[body]}
        }
        if lines:
            content["application/x-ndjson"] = {
                "schema": {"type": "string", "description": "One object per line."},
                "example": msgspec.json.encode(EXAMPLES[body]).decode() + "\n",
            }
        found["requestBody"] = {"required": True, "content": content}
    if file:
        found["requestBody"] = {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    return found


def _ref(name: str) -> str:
    return f"#/components/schemas/{name}"
