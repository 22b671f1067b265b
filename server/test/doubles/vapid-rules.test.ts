import assert from "node:assert/strict";
import { createPrivateKey, sign } from "node:crypto";
import { test } from "node:test";
import { WebPushSender } from "./web-push-sender.ts";
import { PushService } from "./push-service.ts";
import { SimulatedDevice } from "./simulated-device.ts";

const HOUR_S = 3_600;

/** Signs claims that web-push refuses to sign. */
function signVapid(
  sender: WebPushSender,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = { typ: "JWT", alg: "ES256" },
): string {
  const { publicKey, privateKey } = sender.keys;
  const point = Buffer.from(publicKey, "base64url");
  const x = point.toString("base64url", 1, 33);
  const y = point.toString("base64url", 33);
  const jwk = { kty: "EC", crv: "P-256", x, y, d: privateKey };
  const [headerPart, body] = [header, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const signature = sign("sha256", Buffer.from(`${headerPart}.${body}`), {
    key: createPrivateKey({ key: jwk, format: "jwk" }),
    dsaEncoding: "ieee-p1363",
  });
  return `vapid t=${headerPart}.${body}.${signature.toString("base64url")}, k=${publicKey}`;
}

test("credentials are validated by RFC 8292", async (t) => {
  const service = await PushService.start();
  const sender = new WebPushSender();
  t.after(async () => {
    await sender.close();
    await service.close();
  });
  const device = new SimulatedDevice(service, sender.keys.publicKey);
  const request = sender.compose(device.subscription, "hello");
  const authorization = request.headers["Authorization"] ?? "";
  const nowS = Math.floor(Date.now() / 1000);
  const aud = `http://127.0.0.1:${service.port}`;
  const claims = { aud, exp: nowS + HOUR_S, sub: "mailto:ops@example.org" };
  const otherSender = new WebPushSender();
  t.after(() => otherSender.close());
  const otherAuthorization =
    otherSender.compose(device.subscription, "hello").headers["Authorization"] ?? "";
  const flippedAuthorization = authorization.replace(
    /\.(?<c>[^.])(?=[^.]*, k=)/u,
    (_match, c: string) => (c === "A" ? ".B" : ".A"),
  );
  const cases: readonly (readonly [string, string | undefined, number, RegExp | null])[] = [
    ["no credentials", undefined, 401, /missing/u],
    ["another scheme", "WebPush abc", 401, /scheme/u],
    ["no key", "vapid t=abc", 403, /missing/u],
    ["a flipped signature bit", flippedAuthorization, 403, /signature/u],
    ["another sender's key", otherAuthorization, 403, /do not correspond/u],
    ["good claims", signVapid(sender, claims), 201, null],
    ["an https: contact", signVapid(sender, { ...claims, sub: "https://example.org/" }), 201, null],
    ["no aud", signVapid(sender, { ...claims, aud: undefined }), 403, /aud/u],
    ["the endpoint as aud", signVapid(sender, { ...claims, aud: `${aud}/push/` }), 403, /aud/u],
    ["expired", signVapid(sender, { ...claims, exp: nowS - 1 }), 403, /past/u],
    ["25 hours", signVapid(sender, { ...claims, exp: nowS + 25 * HOUR_S }), 403, /24 hours/u],
    ["exp in milliseconds", signVapid(sender, { ...claims, exp: Date.now() }), 403, /24 hours/u],
    ["exp as text", signVapid(sender, { ...claims, exp: String(claims.exp) }), 403, /integer/u],
    ["no sub", signVapid(sender, { aud, exp: claims.exp }), 403, /sub/u],
    ["sub with brackets", signVapid(sender, { ...claims, sub: "mailto:<a@b.org>" }), 403, /sub/u],
    ["sub at localhost", signVapid(sender, { ...claims, sub: "https://localhost" }), 403, /sub/u],
    ["sub at .local", signVapid(sender, { ...claims, sub: "mailto:a@box.local" }), 403, /sub/u],
    ["alg none", signVapid(sender, claims, { alg: "none" }), 403, /alg/u],
  ];
  for (const [name, credentials, status, message] of cases) {
    const { Authorization: _, ...others } = request.headers;
    const headers = credentials === undefined ? others : { ...others, authorization: credentials };
    const response = await sender.post({ ...request, headers });
    assert.equal(response.status, status, name);
    if (message !== null) assert.match(response.text, message, name);
  }
});
