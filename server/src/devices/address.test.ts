import assert from "node:assert/strict";
import { test } from "node:test";
import { hashAddress, getEndpointHost, parseAddress, type PushInput } from "./address.ts";

const SUBSCRIPTION_KEYS = { p256dh: "BPoint", auth: "secret" };
const ENDPOINT = "https://push.example.org/wp/1";

const parse = (push: PushInput) => parseAddress(() => ({ ok: true }), push);

function assertRefused(push: PushInput, field: string) {
  assert.throws(() => parse(push), { code: "invalid_field", field });
}

test("an Apple token is stored in lower case, by default for production", () => {
  const token = "AB".repeat(32);
  const address = { provider: "apns", token: "ab".repeat(32), environment: "production" };
  assert.deepEqual(parse({ provider: "apns", token }), address);
  const sandbox = parse({ provider: "apns", token, environment: "sandbox" });
  assert.deepEqual(sandbox, { ...address, environment: "sandbox" });
});

test("an Apple token has an even number of hexadecimal digits, 16 to 400", () => {
  parse({ provider: "apns", token: "a".repeat(16) });
  parse({ provider: "apns", token: "a".repeat(400) });
  const invalidTokens = ["", "a".repeat(14), "a".repeat(17), "a".repeat(402), "g".repeat(16)];
  for (const token of [...invalidTokens, `${"a".repeat(16)}\n`]) {
    assertRefused({ provider: "apns", token }, "push.token");
  }
  assertRefused({ provider: "apns" }, "push.token");
});

test("a Firebase token has 1 to 4096 visible characters", () => {
  const token = "dQw4:APA91b-_x";
  assert.deepEqual(parse({ provider: "fcm", token }), { provider: "fcm", kind: "token", token });
  parse({ provider: "fcm", token: "x".repeat(4_096) });
  for (const invalidToken of ["", "a b", "a\n", "é", "x".repeat(4_097)]) {
    assertRefused({ provider: "fcm", token: invalidToken }, "push.token");
  }
});

test("a Firebase installation id is recognised by its form", () => {
  const parseKind = (token: string) => {
    const address = parse({ provider: "fcm", token });
    assert.ok(address.provider === "fcm");
    return address.kind;
  };
  const installationId = "dQw4w9WgXcQ_-abcDEF123";
  for (const first of ["c", "d", "e", "f"])
    assert.equal(parseKind(`${first}${installationId.slice(1)}`), "fid");
  const tokens = [
    `b${installationId.slice(1)}`,
    `g${installationId.slice(1)}`,
    `D${installationId.slice(1)}`,
    `${installationId}a`,
    installationId.slice(0, 21),
    installationId.replace("-", "+"),
    `${installationId}:APA91b-_x`,
  ];
  for (const token of tokens) {
    assert.equal(parseKind(token), "token", token);
  }
});

test("a subscription is stored with a normalised endpoint and only its known keys", () => {
  const endpoint = "HTTPS://Push.Example.org:443/wp/A%20b";
  const keys = { ...SUBSCRIPTION_KEYS, extra: "not kept" };
  assert.deepEqual(parse({ provider: "webpush", endpoint, keys }), {
    provider: "webpush",
    endpoint: "https://push.example.org/wp/A%20b",
    keys: SUBSCRIPTION_KEYS,
  });
});

test("a subscription without endpoint or keys is refused before it is checked", () => {
  assertRefused({ provider: "webpush", keys: SUBSCRIPTION_KEYS }, "push.endpoint");
  assertRefused(
    { provider: "webpush", endpoint: "not a url", keys: SUBSCRIPTION_KEYS },
    "push.endpoint",
  );
  assertRefused({ provider: "webpush", endpoint: ENDPOINT }, "push.keys");
});

test("an address that fails the check is refused with the check's message", () => {
  const failure = { ok: false, field: "keys.auth", message: "auth must be 16 bytes." } as const;
  const push = { provider: "webpush", endpoint: ENDPOINT, keys: SUBSCRIPTION_KEYS } as const;
  assert.throws(() => parseAddress(() => failure, push), {
    field: "push.keys.auth",
    message: failure.message,
  });
});

test("only the provider and its token or endpoint identify an address", () => {
  const token = "ab".repeat(32);
  const address = parse({ provider: "apns", token });
  const sandboxAddress = parse({ provider: "apns", token, environment: "sandbox" });
  assert.equal(hashAddress(address), hashAddress(sandboxAddress));
  assert.notEqual(hashAddress(address), hashAddress(parse({ provider: "fcm", token })));
  const webAddress = parse({ provider: "webpush", endpoint: ENDPOINT, keys: SUBSCRIPTION_KEYS });
  const renewedAddress = {
    provider: "webpush",
    endpoint: ENDPOINT,
    keys: { ...SUBSCRIPTION_KEYS, auth: "new" },
  };
  assert.equal(hashAddress(webAddress), hashAddress({ ...renewedAddress, provider: "webpush" }));
});

test("only a Web Push address has an endpoint host", () => {
  const endpoint = "https://push.example.org:8443/wp/secret";
  const web = parse({ provider: "webpush", endpoint, keys: SUBSCRIPTION_KEYS });
  assert.equal(getEndpointHost(web), "push.example.org:8443");
  assert.equal(getEndpointHost(parse({ provider: "fcm", token: "t" })), null);
});
