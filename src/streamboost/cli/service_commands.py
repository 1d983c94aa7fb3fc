"""The commands about the learning service: serve, token, log, rollback, client."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from streamboost.cli.errors import UserError
from streamboost.cli.shard_commands import Address, EngineName, NShards

if TYPE_CHECKING:
    from streamboost.client import Client

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a learning service.")]
Url = Annotated[str, typer.Argument(metavar="URL", help="The service: http://127.0.0.1:8000")]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="The name of a model of the service.")]
TokenOption = Annotated[
    str | None, typer.Option("--token", envvar="STREAMBOOST_TOKEN", help="A token (or $STREAMBOOST_TOKEN).")
]
Rows = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="JSON lines (default: standard input).")]

Seq = Annotated[int, typer.Argument(metavar="SEQ", min=0, help="The record to go back to.")]
Description = Annotated[str, typer.Argument(help='JSON: {"model": "osboost", "learner": "naive-bayes"}')]

token_app = typer.Typer(help="Create, list and revoke tokens of a learning service.", no_args_is_help=True)
client_app = typer.Typer(help="Talk to a learning service.", no_args_is_help=True)


@contextmanager
def _serving() -> Iterator[None]:
    """With the packages of the extra, which may be missing; what the store refuses is one line."""
    from streamboost.base.lazy_imports import import_sklearn

    try:
        import apsw  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise UserError(
            f'This needs the extra [serve] ({error.name} is missing): pip install "streamboost[serve]".'
        ) from error
    import_sklearn()
    from streamboost.service.store import StoreError

    try:
        yield
    except StoreError as error:
        raise UserError(f"{error.message}{f' {error.hint}' if error.hint else ''}") from error


@_serving()
def serve_command(
    folder: Folder,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 chooses a free one.")
    ] = 8000,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="[NAME=]FILE",
            help="Add a model from a file, unless the service already has it.",
        ),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source", metavar="URL", help="kafka://host:9092/topic?group=g or redis://host:6379/stream."
        ),
    ] = None,
    source_model: Annotated[
        str | None,
        typer.Option(
            "--source-model", help="The model that learns from the sources (default: the topic's name)."
        ),
    ] = None,
    no_tokens: Annotated[
        bool, typer.Option("--no-tokens", help="Require no tokens; only for requests from this machine.")
    ] = False,
    rate: Annotated[
        float, typer.Option("--rate", min=0.1, help="Requests per second allowed for one token.")
    ] = 10_000.0,
    grace: Annotated[float, typer.Option("--grace", min=1, help="Seconds to finish after SIGTERM.")] = 30.0,
    certfile: Annotated[Path | None, typer.Option("--certfile", help="TLS certificate.")] = None,
    keyfile: Annotated[Path | None, typer.Option("--keyfile", help="TLS key.")] = None,
    snapshot_every: Annotated[
        int, typer.Option("--snapshot-every", min=1, help="Examples between two snapshots.")
    ] = 10_000,
    snapshot_seconds: Annotated[
        float, typer.Option("--snapshot-seconds", min=0.1, help="Seconds between two snapshots.")
    ] = 60.0,
    keep_snapshots: Annotated[
        int,
        typer.Option(
            "--keep-snapshots",
            min=1,
            help="How many snapshots to keep: the newest, and older ones thinned by age.",
        ),
    ] = 12,
    reach: Annotated[
        float,
        typer.Option("--reach", min=0, help="How many hours a model can be rolled back, to any record."),
    ] = 24.0,
    keep_log: Annotated[
        str,
        typer.Option(
            "--keep-log", help="Keep the records `needed` by the snapshots, or all `forever`, for audits."
        ),
    ] = "needed",
    per_address: Annotated[
        int,
        typer.Option(
            "--per-address", min=1, help="Connections allowed per address; a proxy counts as one address."
        ),
    ] = 1_000,
    trust_clock: Annotated[
        bool,
        typer.Option(
            "--trust-clock", help="Accept a system clock that is a year later than the last record."
        ),
    ] = False,
    alarm_url: Annotated[
        str | None,
        typer.Option(
            "--alarm-url", metavar="URL", help="Where to post alarms as JSON: drift, columns, error."
        ),
    ] = None,
    shards: NShards = None,
    engine: EngineName = "processes",
    address: Address = None,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON when it is ready.")] = False,
) -> None:
    """Serve models that keep learning, over HTTP. A new folder gets an admin token, which is shown once."""
    if keep_log not in ("needed", "forever"):
        raise UserError(f"--keep-log {keep_log}: it is `needed` or `forever`.")
    from streamboost.service.http import Options, serve
    from streamboost.service.store import Settings

    code = serve(
        Options(
            folder,
            host=host,
            port=port,
            open_to_all=no_tokens,
            rate=rate,
            grace=grace,
            per_address=per_address,
            alarm_url=alarm_url,
            certfile=certfile,
            keyfile=keyfile,
            sources=tuple(source or ()),
            source_model=source_model,
            models=tuple(_named(text) for text in model or ()),
            json=as_json,
            settings=Settings(
                snapshot_every=snapshot_every,
                snapshot_seconds=snapshot_seconds,
                keep_snapshots=keep_snapshots,
                reach_s=reach * 3_600,
                keep_log=keep_log == "forever",
                trust_clock=trust_clock,
                shards=shards or 1,
                engine=engine,
                address=address,
            ),
        )
    )
    raise typer.Exit(code)


def _named(text: str) -> tuple[str, Path]:
    name, equals, file = text.partition("=")
    path = Path(file if equals else text)
    if not path.is_file():
        raise UserError(f"--model {text}: {path} is no file.")
    return (name if equals else path.stem), path


@token_app.command("create")
@_serving()
def token_create(
    folder: Folder,
    scope: Annotated[str, typer.Option("--scope", help="predict,label,learn,read,explain,admin")],
    name: Annotated[str, typer.Option("--name", help="Who it is for; recorded in the log.")] = "token",
    model: Annotated[str | None, typer.Option("--model", help="Valid for this model only.")] = None,
    days: Annotated[float | None, typer.Option("--days", help="Expires after so many days.")] = None,
) -> None:
    """Create a token; it is shown only once and stored nowhere."""
    from streamboost.service.http import tokens

    expires = None if days is None else days * 86_400
    scopes = [part for part in scope.split(",") if part]
    typer.echo(tokens.create(folder, scopes, name=name, model=model, expires_s=expires))


@token_app.command("list")
@_serving()
def token_list(folder: Folder) -> None:
    """List the tokens of a folder, one JSON object per line."""
    from streamboost.service.http import tokens

    for token in tokens.read_tokens(folder):
        shown = {
            "token": token.number,
            "name": token.name,
            "scopes": sorted(token.scopes),
            "model": token.model,
            "expires": token.expires,
            "revoked": token.revoked,
        }
        typer.echo(json.dumps(shown))


@token_app.command("revoke")
@_serving()
def token_revoke(
    folder: Folder, token: Annotated[str, typer.Argument(help="Its number, as `token list` shows it.")]
) -> None:
    """Revoke a token; a running service notices within a second."""
    from streamboost.service.http import tokens

    tokens.revoke(folder, token)


@_serving()
def log_command(
    folder: Folder,
    model: Annotated[str | None, typer.Option("--model", help="Only this model.")] = None,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Replay everything (service stopped) and compare with the newest snapshots."
        ),
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export", help="Write the examples of --model to .jsonl or .parquet, for `streamboost run`."
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Show the last so many records.")] = 20,
) -> None:
    """Show, verify or export the log of a learning service."""
    from streamboost.service import audit

    if verify:
        faults = 0
        for line, good in audit.verify(folder):
            typer.echo(line)
            faults += not good
        raise typer.Exit(1 if faults else 0)
    if export is not None:
        if model is None:
            raise UserError("--export needs --model.")
        typer.echo(f"{audit.export(folder, model, export)} examples: {export}")
        return
    for entry in audit.show(folder, model, limit):
        typer.echo(json.dumps(entry))


@_serving()
def rollback_command(
    folder: Folder,
    model: Model,
    seq: Seq,
) -> None:
    """Go back to the state after a record; the service must not be running."""
    from streamboost.service.store import LearningStore

    if not (folder / "log.db").exists():
        raise UserError(f"{folder} holds no learning service.")
    with LearningStore(folder) as store:
        typer.echo(
            f"{model} is as it was after {seq}; record {store.rollback(model, seq, by='command line')} says so"
        )


def _client(url: str, token: str | None) -> Client:
    try:
        from streamboost.client import Client

        return Client(url, token)
    except ImportError as error:
        raise UserError('This needs the extra [client]: pip install "streamboost[client]".') from error


def _many(url: str, model: str, token: str | None, file: Path | None, verb: str) -> None:
    source = sys.stdin if file is None else open(file, encoding="utf-8")  # noqa: SIM115
    bad = 0
    try:
        rows = (_row(line, number) for number, line in enumerate(source, 1) if line.strip())
        with _client(url, token) as client:
            for answer in _asked(lambda: getattr(client, f"{verb}_many")(model, rows)):
                typer.echo(json.dumps(answer))
                bad += "error" in answer
    finally:
        if file is not None:
            source.close()
    if bad:
        raise typer.Exit(1)


def _row(line: str, number: int) -> Any:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise UserError(f"line {number} is no JSON: {error}") from error
    if not isinstance(row, dict):
        raise UserError(f"line {number} is not a JSON object.")
    return row


def _asked(act: Any) -> Any:
    """Ask the service; what it refuses is one line."""
    import httpx

    from streamboost.client import ServiceError

    try:
        found = act()
        return list(found) if not isinstance(found, dict | list) else found
    except ServiceError as error:
        advice = " Set STREAMBOOST_TOKEN, or use --token." if error.status == 401 else ""
        raise UserError(f"{error}{advice}") from error
    except httpx.TransportError as error:
        raise UserError(f"The service does not answer: {error}") from error


_VERBS = {
    "predict": 'Predict events {"features", "id"?}; one answer per line.',
    "label": 'Send the labels of earlier events {"id", "label", "weight"?}.',
    "learn": 'Learn examples {"features", "label", "id"?, "weight"?}.',
    "act": 'Let a bandit choose labels for events {"features", "id"?}; one answer per line.',
    "reward": 'Send the rewards of labels that were shown {"id", "reward", "weight"?}; a reward is 1 or 0.',
}


def _add_verb(verb: str) -> None:
    @client_app.command(verb, help=_VERBS[verb])
    def of_many(url: Url, model: Model, file: Rows = None, token: TokenOption = None) -> None:
        _many(url, model, token, file, verb)


for _verb in _VERBS:
    _add_verb(_verb)


@client_app.command("scores")
def client_scores(url: Url, model: Model, token: TokenOption = None) -> None:
    """Show the metrics of a model."""
    _tell(url, token, lambda client: client.scores(model))


@client_app.command("queries")
def client_queries(
    url: Url,
    model: Model,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many events, at most.")] = 20,
    token: TokenOption = None,
) -> None:
    """List the pending events whose labels would help most, newest first, one per line."""
    with _client(url, token) as client:
        for event in _asked(lambda: client.queries(model, limit)):
            typer.echo(json.dumps(event))


@client_app.command("create")
def client_create(
    url: Url,
    model: Model,
    description: Description = "{}",
    token: TokenOption = None,
) -> None:
    """Create a model."""
    fields = _row(description, 1)
    _tell(url, token, lambda client: client.create(model, **fields))


def _tell(url: str, token: str | None, act: Any) -> None:
    """Ask the service once and print what it says."""
    with _client(url, token) as client:
        typer.echo(json.dumps(_asked(lambda: act(client)), indent=2))


@client_app.command("models")
def client_models(url: Url, token: TokenOption = None) -> None:
    """List the models and their state."""
    _tell(url, token, lambda client: client.models())


@client_app.command("shadow")
def client_shadow(
    url: Url,
    model: Model,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    description: Description = "{}",
    token: TokenOption = None,
) -> None:
    """Add a shadow: another model that learns from the same examples but does not answer."""
    fields = _row(description, 1)
    _tell(url, token, lambda client: client.add_shadow(model, name, **fields))


@client_app.command("allow")
def client_allow(
    url: Url,
    model: Model,
    label: Annotated[str, typer.Argument(metavar="LABEL", help="JSON, or plain text.")],
    token: TokenOption = None,
) -> None:
    """Allow a new label as a class, for a model that requires this."""
    try:
        value = json.loads(label)
    except ValueError:
        value = label
    _tell(url, token, lambda client: client.allow(model, value))


@client_app.command("promote")
def client_promote(
    url: Url,
    model: Model,
    shadow: Annotated[str, typer.Argument(metavar="SHADOW", help="The shadow that becomes the champion.")],
    token: TokenOption = None,
) -> None:
    """Make a shadow the champion; the champion becomes a shadow."""
    _tell(url, token, lambda client: client.promote(model, shadow))


@client_app.command("snapshots")
def client_snapshots(url: Url, model: Model, token: TokenOption = None) -> None:
    """List the snapshots that are kept, and how far back a rollback reaches."""
    _tell(url, token, lambda client: client.snapshots(model))


@client_app.command("rollback")
def client_rollback(url: Url, model: Model, seq: Seq, token: TokenOption = None) -> None:
    """Go back to the state after a record; a rollback is a record, so it can be undone."""
    _tell(url, token, lambda client: client.rollback(model, seq))


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("serve")(serve_command)
    app.command("log")(log_command)
    app.command("rollback")(rollback_command)
    app.add_typer(token_app, name="token")
    app.add_typer(client_app, name="client")
