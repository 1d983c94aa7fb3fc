"""Bearer tokens: ``sb_NUMBER_SECRET``. The secret's SHA-256 is stored and compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from streamboost.service.http.errors import Forbidden, TooMany, Unauthorized
from streamboost.service.store import BadRequest, NotFound, ReadOnly
from streamboost.service.store.database import Database
from streamboost.service.store.registry import check_name

SCOPES = ("predict", "label", "learn", "read", "explain", "admin")
"""What a token may do; ``admin`` may do everything."""
RELOAD = 1.0
"""Seconds after which a revoked token is refused at the latest."""


@dataclass
class Token:
    """A caller: name, scopes, and the model that it is bound to, if any."""

    number: str
    name: str
    sha256: str
    scopes: frozenset[str]
    model: str | None
    made: float
    expires: float | None
    revoked: float | None

    def may(self, scope: str, model: str | None) -> bool:
        """Whether it is good for this."""
        if self.model is not None and self.model != model:
            return False
        return scope in self.scopes or "admin" in self.scopes


OPEN = Token("", "local", "", frozenset({"admin"}), None, 0.0, None, None)
"""Who everybody is where no tokens are asked for."""


class Bucket:
    """So many requests a second, a second's worth at once."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._left = rate
        self._at = time.monotonic()

    def take(self, n: float = 1.0) -> None:
        """Take some or raise."""
        now = time.monotonic()
        self._left = min(self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < n:
            error = TooMany(f"This token may ask {self._rate:g} times a second.")
            error.retry_after = (n - self._left) / self._rate
            raise error
        self._left -= n


class TokenAuth:
    """Looks at the token of every request."""

    def __init__(self, folder: Path, *, open_to_all: bool, rate: float) -> None:
        self._folder, self._open, self._rate = folder, open_to_all, rate
        self._tokens: dict[str, Token] = {}
        self._buckets: dict[str, Bucket] = {}
        self._loaded = 0.0

    def _load(self) -> None:
        now = time.monotonic()
        if now - self._loaded < RELOAD and self._loaded:
            return
        self._tokens = {token.number: token for token in read_tokens(self._folder)}
        self._loaded = now

    def check(self, header: str | None, scope: str | None, model: str | None) -> Token:
        """Return whose request it is, or refuse it. Without a scope any token is good."""
        token = OPEN if self._open else self._find(header)
        if scope is not None and not token.may(scope, model):
            where = f" on {model!r}" if model else ""
            raise Forbidden(f"This token may not {scope}{where}.", hint=f"It needs the scope {scope}.")
        bucket = self._buckets.get(token.number)
        if bucket is None:
            bucket = self._buckets[token.number] = Bucket(self._rate)
        bucket.take()
        return token

    def _find(self, header: str | None) -> Token:
        self._load()
        kind, _, given = (header or "").partition(" ")
        parts = given.strip().split("_")
        if kind.lower() != "bearer":
            raise Unauthorized("A token is needed.", hint="Send the header Authorization: Bearer sb_...")
        if len(parts) != 3 or parts[0] != "sb":
            raise Unauthorized(
                "This is no token of this service.", hint="A token looks like sb_NUMBER_SECRET."
            )
        token = self._tokens.get(parts[1])
        found = hashlib.sha256(parts[2].encode()).hexdigest()
        good = hmac.compare_digest(found, token.sha256 if token is not None else "0" * 64)
        if token is None or not good or token.revoked is not None:
            raise Unauthorized("This token is not known, or it was revoked.")
        if token.expires is not None and token.expires < time.time():
            raise Unauthorized("This token has expired.")
        return token


def read_tokens(folder: Path) -> list[Token]:
    """All tokens of a folder."""
    db = Database(folder)
    try:
        rows = db.rows(
            "SELECT token, name, sha256, scopes, model, made, expires, revoked FROM tokens ORDER BY made"
        )
    finally:
        db.close()
    return [
        Token(number, name, sha256, frozenset(scopes.split(",")), model, made, expires, revoked)
        for number, name, sha256, scopes, model, made, expires, revoked in rows
    ]


def create(
    folder: Path,
    scopes: list[str],
    *,
    name: str,
    model: str | None = None,
    expires_s: float | None = None,
) -> str:
    """Make a token; what is returned is shown once and stored nowhere."""
    for scope in scopes:
        if scope not in SCOPES:
            raise BadRequest(f"There is no scope {scope!r}; there are {', '.join(SCOPES)}.", field="scope")
    if not scopes:
        raise BadRequest(f"A token needs a scope: {', '.join(SCOPES)}.", field="scope")
    if model is not None:
        check_name(model)
    if not name or len(name) > 64 or not name.isprintable():
        raise BadRequest("The name of a token has 1 to 64 printable characters.", field="name")
    if expires_s is not None and not expires_s > 0:
        raise BadRequest(f"A token expires in the future, got {expires_s} seconds.", field="expires")
    number, secret = secrets.token_hex(4), secrets.token_hex(24)
    now = time.time()
    values: tuple[Any, ...] = (
        number,
        name,
        hashlib.sha256(secret.encode()).hexdigest(),
        ",".join(sorted(set(scopes))),
        model,
        now,
        None if expires_s is None else now + expires_s,
    )
    _write(folder, "INSERT INTO tokens VALUES(?, ?, ?, ?, ?, ?, ?, NULL)", values)
    return f"sb_{number}_{secret}"


def revoke(folder: Path, number: str) -> None:
    """Refuse a token from now on."""
    number = number.split("_")[1] if number.startswith("sb_") and number.count("_") >= 1 else number
    if not _write(
        folder, "UPDATE tokens SET revoked=? WHERE token=? AND revoked IS NULL", (time.time(), number)
    ):
        raise NotFound(
            f"There is no token {number!r} that could be revoked.", hint="streamboost token list names them."
        )


def _write(folder: Path, sql: str, values: tuple[Any, ...]) -> int:
    try:
        db = Database(folder, write=True)
        try:
            with db.transaction():
                db.run(sql, values)
                return db.changed()
        finally:
            db.close()
    except (apsw.Error, OSError) as error:
        raise ReadOnly(f"{folder} cannot be written: {error}.") from error
