import assert from "node:assert/strict";
import { test } from "node:test";
import { validateMessage } from "./fcm-message-rules.ts";
import { FcmRegistration } from "./fcm-registration.ts";

const { token, fid } = new FcmRegistration({ projectId: "p", deliver: () => undefined });
const JSON_TYPE = "application/json; charset=utf-8";

function validate(request: unknown) {
  return validateMessage(JSON.stringify(request), JSON_TYPE);
}

/** Returns the error of an invalid message. */
function validateForError(message: unknown, name: string) {
  const verdict = validate({ message });
  assert.ok(verdict.kind === "malformed", name);
  assert.equal(verdict.error.status, 400, name);
  const { error } = JSON.parse(verdict.error.body);
  assert.equal(error.code, 400, name);
  assert.equal(error.status, "INVALID_ARGUMENT", name);
  const types: readonly string[] = error.details.map((detail: { readonly "@type": string }) =>
    detail["@type"].split(".").at(-1),
  );
  return { message: String(error.message), types, details: error.details };
}

test("field names are accepted in both spellings", () => {
  const data = { id: "a", title: "Füße" };
  for (const android of [
    { priority: "HIGH", ttl: "60.9s", collapse_key: "k", direct_boot_ok: true, data },
    { priority: "high", ttl: "60s", collapseKey: "k", directBootOk: true, data },
  ]) {
    const verdict = validate({ message: { token, android }, validateOnly: true });
    assert.deepEqual(verdict, {
      kind: "well-formed",
      target: { kind: "token", value: token },
      isDryRun: true,
      message: { data, priority: "HIGH", ttlSeconds: 60, collapseKey: "k", notification: null },
    });
  }
});

test("omitted fields have FCM's defaults, and android overrides common fields", () => {
  const verdict = validate({ message: { fid, data: { a: "1" }, notification: { title: "T" } } });
  assert.ok(verdict.kind === "well-formed");
  assert.deepEqual(verdict.message, {
    data: { a: "1" },
    priority: "NORMAL",
    ttlSeconds: 2_419_200,
    collapseKey: null,
    notification: { title: "T" },
  });
  const narrower = validate({ message: { fid, data: { a: "1" }, android: { data: { b: "2" } } } });
  assert.ok(narrower.kind === "well-formed");
  assert.deepEqual(narrower.message.data, { b: "2" });
});

test("JSON that does not match the API is refused with Google's message per field", () => {
  const type = "type.googleapis.com/google";
  const formatUnknownName = (name: string, path: string): string =>
    `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`;
  const cases: readonly (readonly [object, string])[] = [
    [{ urgency: "high" }, formatUnknownName("urgency", "message")],
    [{ constructor: "x" }, formatUnknownName("constructor", "message")],
    [
      { android: { notification: { data: {} } } },
      formatUnknownName("data", "message.android.notification"),
    ],
    [
      { android: { data: { a: "x", b: 12 } } },
      "Invalid value at 'message.android.data[1].value' (TYPE_STRING), 12",
    ],
    [
      { android: { priority: "URGENT" } },
      `Invalid value at 'message.android.priority' (${type}.firebase.fcm.v1.AndroidMessagePriority), "URGENT"`,
    ],
    [
      { android: { ttl: "60" } },
      `Invalid value at 'message.android.ttl' (${type}.protobuf.Duration), ` +
        "Field 'ttl', Illegal duration format; duration must end with 's'",
    ],
    [
      { android: "high" },
      `Invalid value at 'message.android' (${type}.firebase.fcm.v1.AndroidConfig), "high"`,
    ],
    [
      { android: { direct_boot_ok: "true" } },
      `Invalid value at 'message.android.direct_boot_ok' (TYPE_BOOL), "true"`,
    ],
    [
      { notification: { title: 1 } },
      "Invalid value at 'message.notification.title' (TYPE_STRING), 1",
    ],
    [
      { android: { notification: { bodyLocArgs: "a" } } },
      `Invalid value at 'message.android.notification.body_loc_args' (TYPE_STRING), "a"`,
    ],
    [
      { fid },
      "Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set 'token'",
    ],
  ];
  for (const [change, description] of cases) {
    const error = validateForError({ token, ...change }, description);
    assert.equal(error.message, description);
    assert.deepEqual(error.types, ["BadRequest"]);
    const field = / at '(?<field>[^']+)'/u.exec(description)?.groups?.["field"];
    assert.deepEqual(error.details[0].fieldViolations, [{ field, description }]);
  }
});

test("a ttl is a decimal number of seconds with an s, up to 28 days", () => {
  const ttl = (value: string) => validate({ message: { token, android: { ttl: value } } }).kind;
  const malformedTtls = ["1,5s", "1 s", "1e3s", "ms", "1.0000000001s", "2419201s", "-1s"];
  assert.deepEqual(
    malformedTtls.filter((value) => ttl(value) !== "malformed"),
    [],
  );
  const wellFormedTtls = ["0s", "1.5s", "2419200s"];
  assert.deepEqual(
    wellFormedTtls.filter((value) => ttl(value) !== "well-formed"),
    [],
  );
});

test("an error of FCM's own rules has both details", () => {
  const cases: readonly (readonly [string, unknown, string, RegExp])[] = [
    ["no target", {}, "message", /Recipient of the message is not set/u],
    ["an empty target", { token: "" }, "message", /Recipient/u],
    ["a ttl past 28 days", { token, android: { ttl: "2419201s" } }, "message.android.ttl", /TTL/u],
    ["a negative ttl", { token, android: { ttl: "-1s" } }, "message.android.ttl", /TTL/u],
    ["from", { token, data: { from: "x" } }, "message.data", /payload key: from/u],
    ["message_type", { token, data: { message_type: "x" } }, "message.data", /message_type/u],
    [
      "google.",
      { token, android: { data: { "google.x": "" } } },
      "message.android.data",
      /google/u,
    ],
    ["gcm.notification.", { token, data: { "gcm.notification.e": "1" } }, "message.data", /gcm/u],
    ["a path as topic", { topic: "/topics/a b" }, "message.topic", /topic/u],
  ];
  for (const [name, message, field, description] of cases) {
    const error = validateForError(message, name);
    assert.match(error.message, description, name);
    assert.deepEqual(error.types, ["BadRequest", "FcmError"], name);
    assert.equal(error.details[0].fieldViolations[0].field, field, name);
  }
});

test("a malformed token has only FCM's error detail", () => {
  const cut = token.slice(0, -40);
  for (const target of [{ token: "abc" }, { token: fid }, { token: cut }, { fid: token }]) {
    const error = validateForError(target, JSON.stringify(target));
    assert.equal(error.message, "The registration token is not a valid FCM registration token");
    const type = "type.googleapis.com/google.firebase.fcm.v1.FcmError";
    assert.deepEqual(error.details, [{ "@type": type, errorCode: "INVALID_ARGUMENT" }]);
  }
});

test("keys and values may have 4096 bytes in total, and half of that for a topic", () => {
  const data = (bytes: number) => ({ key: "ü".repeat((bytes - 4) / 2) + "x" });
  assert.equal(validate({ message: { token, data: data(4_096) } }).kind, "well-formed");
  const error = validateForError({ token, data: data(4_098) }, "4098 bytes");
  assert.equal(error.message, "Android message is too big");
  assert.deepEqual(error.types, ["FcmError"]);
  const notification = { title: "x" };
  assert.equal(validate({ message: { token, notification, data: data(4_096) } }).kind, "malformed");
  assert.equal(validate({ message: { topic: "news", data: data(2_048) } }).kind, "well-formed");
  assert.equal(validate({ message: { topic: "news", data: data(2_050) } }).kind, "malformed");
});

test("a body that is not JSON, or has another content type, is refused", () => {
  const validBody = JSON.stringify({ message: { token } });
  assert.equal(validateMessage(validBody, JSON_TYPE).kind, "well-formed");
  assert.equal(validateMessage(validBody, undefined).kind, "malformed");
  assert.equal(validateMessage(validBody, "text/plain").kind, "malformed");
  for (const body of ["", "{", "[]", "null", '"x"']) {
    assert.equal(validateMessage(body, JSON_TYPE).kind, "malformed", body);
  }
});
