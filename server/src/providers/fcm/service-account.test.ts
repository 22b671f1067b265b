import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { inspect } from "node:util";
import { parseServiceAccount } from "./service-account.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const pem = rsa.export({ type: "pkcs8", format: "pem" });

/** A key file as the Firebase console issues it. */
const FILE = {
  type: "service_account",
  project_id: "my-project-1",
  private_key_id: "0123456789abcdef0123456789abcdef01234567",
  private_key: pem,
  client_email: "firebase-adminsdk-abcde@my-project-1.iam.gserviceaccount.com",
  client_id: "100000000000000000000",
  auth_uri: "https://accounts.google.com/o/oauth2/auth",
  token_uri: "https://attacker.example.org/token",
  universe_domain: "googleapis.com",
};

function parse(overrides: Readonly<Record<string, unknown>>) {
  return parseServiceAccount(JSON.stringify({ ...FILE, ...overrides }));
}

function toPem(key: typeof rsa): string {
  return key.export({ type: "pkcs8", format: "pem" });
}

test("a key file yields the project, the account and its key, but no URL", () => {
  const { privateKey, ...account } = parse({});
  assert.deepEqual(account, {
    projectId: FILE.project_id,
    clientEmail: FILE.client_email,
    privateKeyId: FILE.private_key_id,
  });
  assert.ok(privateKey.equals(rsa));
});

test("a key with line breaks escaped twice is read", () => {
  assert.ok(parse({ private_key: pem.replaceAll("\n", "\\n") }).privateKey.equals(rsa));
});

test("a project id may have a domain", () => {
  const projectId = "example.com:my-project";
  assert.equal(parse({ project_id: projectId }).projectId, projectId);
});

test("an error names the missing or invalid field", () => {
  const fields = ["project_id", "client_email", "private_key_id", "private_key"];
  for (const field of fields) {
    for (const empty of [undefined, null, ""]) {
      assert.throws(() => parse({ [field]: empty }), { message: `${field} is missing.` });
    }
    assert.throws(() => parse({ [field]: 7 }), { message: new RegExp(`^${field} is not `, "u") });
  }
  assert.throws(() => parse({ project_id: "../other" }), /^Error: project_id is not /u);
  assert.throws(() => parse({ client_email: "a b@c" }), /^Error: client_email is not /u);
  assert.throws(() => parse({ private_key_id: "a\nb" }), /^Error: private_key_id is not /u);
});

test("only an RSA key long enough for RS256 is accepted", () => {
  const ellipticKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const shortKey = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
  for (const key of [ellipticKey, shortKey]) {
    assert.throws(() => parse({ private_key: toPem(key) }), /private_key is not an RSA key/u);
  }
});

test("a file of another kind is refused", () => {
  const text = JSON.stringify({ project_info: { project_id: "my-project-1" }, client: [] });
  assert.throws(() => parseServiceAccount(text), /google-services\.json/u);
  assert.throws(() => parse({ type: "authorized_user" }), /^Error: type is not /u);
  for (const text of ["", "[]", "null", "7", '"text"']) {
    assert.throws(() => parseServiceAccount(text), /is not a JSON object/u);
  }
});

test("neither an error nor inspection reveals the key", () => {
  const secret = pem.split("\n")[1] ?? "";
  const malformedFiles = [
    `{"private_key": ${secret}`,
    JSON.stringify({ ...FILE, private_key: secret }),
    JSON.stringify({ ...FILE, private_key: pem.slice(0, -40) }),
    JSON.stringify({ ...FILE, client_email: pem }),
  ];
  for (const text of malformedFiles) {
    assert.throws(
      () => parseServiceAccount(text),
      (error) => !inspect(error).includes(secret.slice(0, 8)),
    );
  }
  assert.ok(!inspect(parse({}), { depth: 9 }).includes(secret.slice(0, 8)));
});
