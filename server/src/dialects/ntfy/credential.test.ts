import assert from "node:assert/strict";
import { test } from "node:test";
import { parseKeyTopic, readNtfyKey, type CredentialSource } from "./credential.ts";

const TOKEN = "tk_abcdefghijklmnopqrstuvwxyz012";
const KEY = "0f8a2c1e-5b7d-4c3e-9a1b-2c3d4e5f6a7b";

function readKey(source: Partial<CredentialSource>): string | null {
  return readNtfyKey({ authorization: undefined, query: {}, topic: "", ...source });
}

function toBasic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

test("a key is a token, or a password with any user name", () => {
  assert.equal(readKey({ authorization: `Bearer ${TOKEN}` }), TOKEN);
  assert.equal(readKey({ authorization: `bearer  ${KEY}` }), KEY);
  for (const name of ["", "x", "ann@example.org", "ä"]) {
    assert.equal(readKey({ authorization: toBasic(`${name}:${KEY}`) }), KEY);
  }
  assert.equal(readKey({ authorization: toBasic("x:a:b") }), "a:b");
  for (const password of ["", "None"]) {
    assert.equal(readKey({ authorization: toBasic(`${TOKEN}:${password}`) }), TOKEN);
  }
  assert.equal(readKey({ authorization: toBasic(`${TOKEN}:${KEY}`) }), KEY);
});

test("the query contains the whole header in base64url, and takes precedence over the header", () => {
  const auth = Buffer.from(toBasic(`:${KEY}`)).toString("base64url");
  assert.equal(readKey({ query: { auth } }), KEY);
  assert.equal(readKey({ query: { authorization: auth }, authorization: "Bearer x" }), KEY);
  assert.equal(readKey({ query: { auth: [auth, "x"] } }), KEY);
});

test("a topic that begins with a key is the credential of a request that has no other", () => {
  assert.equal(readKey({ topic: KEY }), KEY);
  assert.equal(readKey({ topic: `${TOKEN}_backups` }), TOKEN);
  assert.equal(readKey({ topic: KEY, authorization: `Bearer ${TOKEN}` }), TOKEN);
  assert.equal(readKey({ topic: KEY, authorization: "Digest x" }), KEY);
  assert.deepEqual(parseKeyTopic(`${KEY}_my_backups`), { key: KEY, rest: "my_backups" });
  assert.deepEqual(parseKeyTopic(TOKEN), { key: TOKEN, rest: null });
});

test("a malformed topic, header or query contains no key", () => {
  const others = [`${KEY}x`, `${KEY}_`, `x${KEY}`, KEY.replace("-4", "-1"), `${TOKEN}x`, "backups"];
  for (const topic of others) {
    assert.equal(readKey({ topic }), null, topic);
  }
  for (const authorization of [
    "",
    "Basic",
    "Basic eA==",
    "Basic eDo=",
    "vapid t=x",
    "Bearer a b",
  ]) {
    assert.equal(readKey({ authorization }), null, authorization);
  }
  assert.equal(readKey({ query: { auth: "%%%" } }), null);
});
