"""Sends notifications through a Tocsin server. Needs only Python 3.9 or later.

Copy this file. As a module:

    from tocsin import Tocsin

    client = Tocsin("https://push.example.org", "<API_KEY>")
    result = client.notify("Disk full", "/var is at 99 %", sound="doorbell")

As a program that reads the server's URL and the key from TOCSIN_URL and TOCSIN_API_KEY:

    python3 tocsin.py TITLE [BODY]

`npm run dump` generates this file from the server's OpenAPI document. Edit its template instead.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass

__all__ = ["SOUNDS", "DeviceResult", "Result", "Tocsin", "TocsinConnectionError", "TocsinError"]

SOUNDS = (
@@SOUNDS@@
)


class TocsinError(Exception):
    """The server refused the request. `code` is for programs; `field` names the field to correct."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        field: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.field = field
        self.request_id = request_id
        #: Seconds that the server asks to wait.
        self.retry_after = retry_after


class TocsinConnectionError(Exception):
    """The server did not respond, or not in time. The notification may have been sent."""

    def __init__(self, message: str, *, is_timeout: bool) -> None:
        super().__init__(message)
        self.is_timeout = is_timeout


@dataclass(frozen=True)
class DeviceResult:
    """The result on one device. If the message begins with "Queued", delivery is still being tried."""

    success: bool
    message: str


@dataclass(frozen=True)
class Result:
    """The server's response. `success` is false if no device was reached."""

    success: bool
    message: str
    #: One for each device; empty if the server did not wait for the results.
    responses: tuple[DeviceResult, ...]
    notification_id: str | None


class Tocsin:
    """A client of one server, for one API key. Several threads may use it at the same time."""

    def __init__(self, url: str, key: str, *, timeout: float = 30.0, retries: int = 2) -> None:
        """Raises ValueError for an invalid argument. The error does not contain the key.

        `timeout` is in seconds, for the connection and for each read of the response. After a temporary failure, a
        call is repeated up to `retries` times with the same idempotency key, so that nobody is notified twice.
        """
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise ValueError("url must be an address such as https://push.example.org, without user.")
        if not _KEY.fullmatch(key.strip()):
            raise ValueError("key must be an API key: a UUID of version 4.")
        if timeout <= 0 or retries < 0:
            raise ValueError("timeout must be above 0, and retries at least 0.")
        self._base = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        self._host = parts.netloc
        self._key = key.strip()
        self._timeout = timeout
        self._retries = retries

@@METHODS@@

    def _send(self, path: str, fields: dict[str, object], headers: dict[str, object]) -> Result:
        sent_fields = {name: value for name, value in fields.items() if value is not None}
        sent_headers = {name: str(value) for name, value in headers.items() if value is not None}
        sent_headers.setdefault("@@IDEMPOTENCY_HEADER@@", uuid.uuid4().hex)
        sent_headers["@@KEY_HEADER@@"] = self._key
        sent_headers["content-type"] = "application/json"
        body = json.dumps(sent_fields).encode()
        request = urllib.request.Request(self._base + path, data=body, headers=sent_headers, method="POST")
        for failures in range(self._retries + 1):
            try:
                return self._send_once(request)
            except (TocsinError, TocsinConnectionError) as error:
                wait = _seconds_until_retry(error, failures)
                if failures == self._retries or wait is None:
                    raise
                time.sleep(wait)
        raise AssertionError("The last failure is raised.")

    def _send_once(self, request: urllib.request.Request) -> Result:
        try:
            with _OPENER.open(request, timeout=self._timeout) as response:
                text, status, headers = response.read(_RESPONSE_MAX), response.status, response.headers
        except urllib.error.HTTPError as error:
            with error:
                raise _create_refusal(error, self._host) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            is_timeout = isinstance(reason, (TimeoutError, socket.timeout))
            problem = "did not answer in time" if is_timeout else "does not answer"
            raise TocsinConnectionError(f"{self._host} {problem}", is_timeout=is_timeout) from error
        content = _parse_object(text)
        if content is None:
            raise _create_not_json_error(status, self._host)
        return Result(
            success=content.get("success") is True,
            message=str(content.get("message", "")),
            responses=tuple(
                DeviceResult(device["success"] is True, str(device["message"]))
                for device in content.get("responses", ())
            ),
            notification_id=headers.get("x-notification-id"),
        )


_KEY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)
#: Maximum size of a response in bytes.
_RESPONSE_MAX = 1 << 20
#: Seconds: the delay before the first retry, which each further failure doubles, and the longest delay.
_RETRY_BASE = 0.25
_RETRY_MAX = 8.0
#: Seconds: the longest retry-after that a call waits.
_RETRY_AFTER_MAX = 60.0


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, because a redirect would send the key to another host."""

    def redirect_request(self, *_arguments: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def _create_refusal(response: urllib.error.HTTPError, host: str) -> TocsinError:
    if 300 <= response.code < 400:
        message = f"{host} answered with a redirect; use the address that it leads to"
        return TocsinError(message, status=response.code, code="redirected")
    try:
        content = _parse_object(response.read(_RESPONSE_MAX))
    except (OSError, http.client.HTTPException):
        content = None
    if content is None:
        return _create_not_json_error(response.code, host)
    detail = content.get("error")
    if not isinstance(detail, dict):
        detail = {"code": detail}
    retry_after = response.headers.get("retry-after", "")
    return TocsinError(
        str(content.get("message", f"{host} answered {response.code}")),
        status=response.code,
        code=str(detail.get("code") or "unexpected_answer"),
        field=detail.get("field"),
        request_id=detail.get("requestId"),
        retry_after=float(retry_after) if retry_after.isdecimal() else None,
    )


def _create_not_json_error(status: int, host: str) -> TocsinError:
    message = f"{host} answered {status} with something other than JSON. Is a Tocsin server there?"
    return TocsinError(message, status=status, code="not_json")


def _parse_object(text: bytes) -> dict | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _seconds_until_retry(error: TocsinError | TocsinConnectionError, failures: int) -> float | None:
    if isinstance(error, TocsinError):
        if error.status != 429 and error.status < 500:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= _RETRY_AFTER_MAX else None
    return random.uniform(0, min(_RETRY_MAX, _RETRY_BASE * 2**failures))


def main(arguments: list[str]) -> int:
    """Sends one notification and returns the exit code, which is that of `tocsin send`."""
    if len(arguments) not in (1, 2):
        print("Usage: python3 tocsin.py TITLE [BODY]", file=sys.stderr)
        return 2
    url = os.environ.get("TOCSIN_URL") or "http://localhost:8080"
    try:
        client = Tocsin(url, os.environ.get("TOCSIN_API_KEY", ""))
    except ValueError as error:
        print(f"TOCSIN_URL, TOCSIN_API_KEY: {error}", file=sys.stderr)
        return 2
    title, body = [*arguments, ""][:2]
    try:
        result = client.notify(title, body)
    except TocsinError as error:
        print(f"The server refused: {error}", file=sys.stderr)
        return 3
    except TocsinConnectionError as error:
        print(error, file=sys.stderr)
        return 4
    print(result.message)
    return 0 if result.success else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
