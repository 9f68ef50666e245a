"""Who may come in: a one-time token in the printed address, or a password, becomes a cookie.

Pure decisions over strings; ``gate`` applies them to requests. The cookie is signed with a key
that comes from the vault, so it outlives a restart and dies with the vault or the password.
"""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256
from ipaddress import ip_address

SESSION_SECONDS = 30 * 24 * 3600
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    if host in LOOPBACK_NAMES:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Access:
    def __init__(
        self, *, session_key: bytes, password: str, host: str, allowed_hosts: frozenset[str]
    ) -> None:
        self._key = hmac.digest(session_key, password.encode(), "sha256")
        self._password = password
        self._is_local = is_loopback(host)
        self._allowed_hosts = allowed_hosts
        self._token = ""

    @property
    def needs_password(self) -> bool:
        return bool(self._password)

    def new_token(self) -> str:
        """The token of the next printed address; an older one that was not used is void."""
        self._token = secrets.token_urlsafe(24)
        return self._token

    def redeem(self, token: str) -> bool:
        is_right = bool(self._token) and hmac.compare_digest(token.encode(), self._token.encode())
        if is_right:
            self._token = ""
        return is_right

    def is_password(self, given: str) -> bool:
        # Hashed first, so that the comparison does not tell the password's length.
        wanted = sha256(self._password.encode()).digest()
        return self.needs_password and hmac.compare_digest(sha256(given.encode()).digest(), wanted)

    def new_session(self, *, now_seconds: int) -> str:
        body = f"{now_seconds}.{secrets.token_urlsafe(16)}"
        return f"{body}.{self._signature(body)}"

    def is_session(self, cookie: str, *, now_seconds: int) -> bool:
        body, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(body).encode()):
            return False
        issued = body.partition(".")[0]
        return issued.isdecimal() and now_seconds - int(issued) < SESSION_SECONDS

    def is_host(self, host_header: str) -> bool:
        """DNS rebinding: a page of another name must not reach this server as its own."""
        name = _host_name(host_header)
        if name in LOOPBACK_NAMES or name in self._allowed_hosts:
            return True
        return not self._is_local and _is_address(name)

    def _signature(self, body: str) -> str:
        return hmac.digest(self._key, body.encode(), "sha256").hex()


def _host_name(host_header: str) -> str:
    if host_header.startswith("["):
        return host_header[1:].partition("]")[0]
    return host_header.partition(":")[0].lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
