"""Sends notifications through a Tocsin server, with nothing but Python 3.9 or later.

Copy this one file. As a module:

    from tocsin import Tocsin

    client = Tocsin("https://push.example.org", "<API_KEY>")
    result = client.notify("Disk full", "/var is at 99 %", sound="doorbell")

As a program, which takes the server and the key from TOCSIN_URL and TOCSIN_API_KEY:

    python3 tocsin.py TITLE [BODY]

It is made from the server's OpenAPI document: do not edit it, it is written anew by `npm run dump`.
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
    "default",
    "arcade",
    "correct",
    "fail",
    "harp",
    "reveal",
    "bubble",
    "doorbell",
    "flute",
    "money",
    "scifi",
    "clear",
    "elevator",
    "guitar",
    "pop",
)


class TocsinError(Exception):
    """An answer that refuses; `code` is for programs, `field` names what to mend in the request."""

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
    """No answer came in time or at all; whether the notification was sent is not known."""

    def __init__(self, message: str, *, is_timeout: bool) -> None:
        super().__init__(message)
        self.is_timeout = is_timeout


@dataclass(frozen=True)
class DeviceResult:
    """What became of it on one device; a message that begins with "Queued" is still being tried."""

    success: bool
    message: str


@dataclass(frozen=True)
class Result:
    """What the server answered; `success` is false where no device was reached."""

    success: bool
    message: str
    #: One for each device; empty where the server did not wait for them.
    responses: tuple[DeviceResult, ...]
    notification_id: str | None


class Tocsin:
    """A client of one server, for one API key. It may be used by many threads at once."""

    def __init__(self, url: str, key: str, *, timeout: float = 30.0, retries: int = 2) -> None:
        """Raises ValueError for what cannot work, without repeating the key.

        `timeout` is in seconds, for the connection and for each piece of the answer. A call that failed for a
        passing reason is repeated up to `retries` times, under one idempotency key: nobody is told twice.
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

    def notify(
        self,
        title: str,
        body: str,
        *,
        sound: str | None = None,
        channel: str | None = None,
        link: str | None = None,
        image: str | None = None,
        icon: str | None = None,
        time_sensitive: bool | None = None,
        markdown: bool | None = None,
        idempotency_key: str | None = None,
        ttl: int | None = None,
    ) -> Result:
        """Send and get the result per device.

        title: At most 1024 characters.
        body: At most 32768 characters.
        sound: One of SOUNDS.
        channel: "feed" when not given.
        link: An absolute URL. At most 2048 characters.
        image: An absolute URL. At most 2048 characters.
        icon: An absolute URL. At most 2048 characters.
        time_sensitive: True or False. False when not given.
        markdown: True or False. False when not given.
        idempotency_key: Remembered for 24 hours: repeating the same content returns its current result.
        ttl: Seconds to live, 1 to 2,419,200; default 86,400. After that nothing is sent.
        """
        fields = {
            "title": title,
            "body": body,
            "sound": sound,
            "channel": channel,
            "link": link,
            "image": image,
            "icon": icon,
            "timeSensitive": time_sensitive,
            "markdown": markdown,
        }
        headers = {
            "idempotency-key": idempotency_key,
            "x-ttl": ttl,
        }
        return self._send("/api/v1/notify", fields, headers)

    def notify_async(
        self,
        title: str,
        body: str,
        *,
        sound: str | None = None,
        channel: str | None = None,
        link: str | None = None,
        image: str | None = None,
        icon: str | None = None,
        time_sensitive: bool | None = None,
        markdown: bool | None = None,
        idempotency_key: str | None = None,
        ttl: int | None = None,
    ) -> Result:
        """Send and get an acknowledgement once it is stored.

        title: At most 1024 characters.
        body: At most 32768 characters.
        sound: One of SOUNDS.
        channel: "feed" when not given.
        link: An absolute URL. At most 2048 characters.
        image: An absolute URL. At most 2048 characters.
        icon: An absolute URL. At most 2048 characters.
        time_sensitive: True or False. False when not given.
        markdown: True or False. False when not given.
        idempotency_key: Remembered for 24 hours: repeating the same content returns its current result.
        ttl: Seconds to live, 1 to 2,419,200; default 86,400. After that nothing is sent.
        """
        fields = {
            "title": title,
            "body": body,
            "sound": sound,
            "channel": channel,
            "link": link,
            "image": image,
            "icon": icon,
            "timeSensitive": time_sensitive,
            "markdown": markdown,
        }
        headers = {
            "idempotency-key": idempotency_key,
            "x-ttl": ttl,
        }
        return self._send("/api/v1/notify-async", fields, headers)

    def notify_group(
        self,
        group_id: str,
        title: str,
        body: str,
        *,
        sound: str | None = None,
        channel: str | None = None,
        link: str | None = None,
        image: str | None = None,
        icon: str | None = None,
        time_sensitive: bool | None = None,
        markdown: bool | None = None,
        idempotency_key: str | None = None,
        ttl: int | None = None,
    ) -> Result:
        """Send to the devices of one group of the account.

        title: At most 1024 characters.
        body: At most 32768 characters.
        sound: One of SOUNDS.
        channel: "feed" when not given.
        link: An absolute URL. At most 2048 characters.
        image: An absolute URL. At most 2048 characters.
        icon: An absolute URL. At most 2048 characters.
        time_sensitive: True or False. False when not given.
        markdown: True or False. False when not given.
        idempotency_key: Remembered for 24 hours: repeating the same content returns its current result.
        ttl: Seconds to live, 1 to 2,419,200; default 86,400. After that nothing is sent.
        """
        fields = {
            "title": title,
            "body": body,
            "sound": sound,
            "channel": channel,
            "link": link,
            "image": image,
            "icon": icon,
            "timeSensitive": time_sensitive,
            "markdown": markdown,
        }
        headers = {
            "idempotency-key": idempotency_key,
            "x-ttl": ttl,
        }
        return self._send(f"/api/v1/notify/group/{urllib.parse.quote(group_id, safe='')}", fields, headers)

    def _send(self, path: str, fields: dict[str, object], headers: dict[str, object]) -> Result:
        given = {name: value for name, value in fields.items() if value is not None}
        sent = {name: str(value) for name, value in headers.items() if value is not None}
        sent.setdefault("idempotency-key", uuid.uuid4().hex)
        sent["x-api-key"] = self._key
        sent["content-type"] = "application/json"
        body = json.dumps(given).encode()
        request = urllib.request.Request(self._base + path, data=body, headers=sent, method="POST")
        for failures in range(self._retries + 1):
            try:
                return self._ask(request)
            except (TocsinError, TocsinConnectionError) as error:
                wait = _seconds_until_retry(error, failures)
                if failures == self._retries or wait is None:
                    raise
                time.sleep(wait)
        raise AssertionError("The last failure is raised.")

    def _ask(self, request: urllib.request.Request) -> Result:
        try:
            with _OPENER.open(request, timeout=self._timeout) as answer:
                text, status, headers = answer.read(_ANSWER_MAX), answer.status, answer.headers
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error, self._host) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            is_timeout = isinstance(reason, (TimeoutError, socket.timeout))
            doubt = "did not answer in time" if is_timeout else "does not answer"
            raise TocsinConnectionError(f"{self._host} {doubt}", is_timeout=is_timeout) from error
        found = _parsed(text)
        if found is None:
            raise _not_json(status, self._host)
        return Result(
            success=found.get("success") is True,
            message=str(found.get("message", "")),
            responses=tuple(
                DeviceResult(device["success"] is True, str(device["message"]))
                for device in found.get("responses", ())
            ),
            notification_id=headers.get("x-notification-id"),
        )


_KEY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)
_ANSWER_MAX = 1 << 20
_RETRY_BASE, _RETRY_MAX, _RETRY_AFTER_MAX = 0.25, 8.0, 60.0


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another host."""

    def redirect_request(self, *_arguments: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def _refusal(answer: urllib.error.HTTPError, host: str) -> TocsinError:
    if 300 <= answer.code < 400:
        message = f"{host} answered with a redirect; use the address that it leads to"
        return TocsinError(message, status=answer.code, code="redirected")
    try:
        found = _parsed(answer.read(_ANSWER_MAX))
    except (OSError, http.client.HTTPException):
        found = None
    if found is None:
        return _not_json(answer.code, host)
    detail = found.get("error")
    if not isinstance(detail, dict):
        detail = {"code": detail}
    after = answer.headers.get("retry-after", "")
    return TocsinError(
        str(found.get("message", f"{host} answered {answer.code}")),
        status=answer.code,
        code=str(detail.get("code") or "unexpected_answer"),
        field=detail.get("field"),
        request_id=detail.get("requestId"),
        retry_after=float(after) if after.isdecimal() else None,
    )


def _not_json(status: int, host: str) -> TocsinError:
    message = f"{host} answered {status} with something other than JSON. Is a Tocsin server there?"
    return TocsinError(message, status=status, code="not_json")


def _parsed(text: bytes) -> dict | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _seconds_until_retry(error: TocsinError | TocsinConnectionError, failures: int) -> float | None:
    if isinstance(error, TocsinError):
        if error.status != 429 and error.status < 500:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= _RETRY_AFTER_MAX else None
    return random.uniform(0, min(_RETRY_MAX, _RETRY_BASE * 2**failures))


def main(arguments: list[str]) -> int:
    """Sends once and returns the exit code, which is that of `tocsin send`."""
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
