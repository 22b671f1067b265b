import assert from "node:assert/strict";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { connect } from "node:tls";
import { Arrivals } from "./arrivals.ts";
import { createDoubleConnector } from "./double-connector.ts";
import { WebPushSender } from "./web-push-sender.ts";
import {
  CHECKIN_REQUEST_FIELDS,
  CHECKIN_RESPONSE_FIELDS,
  DATA_MESSAGE_FIELDS,
  LOGIN_REQUEST_FIELDS,
} from "./gcm-fields.ts";
import { Gcm } from "./gcm.ts";
import { PACKET_TAGS, McsConnection } from "./mcs-connection.ts";
import {
  encodeBytesField,
  decodeFields,
  encodeFixed64Field,
  readInteger,
  readStrings,
  encodeVarintField,
  type Fields,
} from "./protobuf.ts";
import { generateReceiverKeys } from "./receiver-keys.ts";

interface Credentials {
  readonly id: bigint;
  readonly secret: bigint;
}

interface Packet {
  readonly tag: number;
  readonly fields: Fields;
}

function readFlagUrl(gcm: Gcm, flag: string): URL {
  const prefix = `--${flag}=`;
  const value = gcm.flags.find((candidate) => candidate.startsWith(prefix));
  return new URL(value?.slice(prefix.length) ?? "");
}

async function checkIn(gcm: Gcm, existing?: Credentials): Promise<Credentials> {
  const body = existing
    ? Buffer.concat([
        encodeVarintField(CHECKIN_REQUEST_FIELDS.androidId, existing.id),
        encodeFixed64Field(CHECKIN_REQUEST_FIELDS.securityToken, existing.secret),
      ])
    : Buffer.alloc(0);
  const url = readFlagUrl(gcm, "gcm-checkin-url");
  const response = await fetch(url, { method: "POST", body: new Uint8Array(body) });
  const fields = decodeFields(Buffer.from(await response.arrayBuffer()));
  return {
    id: readInteger(fields, CHECKIN_RESPONSE_FIELDS.androidId) ?? 0n,
    secret: readInteger(fields, CHECKIN_RESPONSE_FIELDS.securityToken) ?? 0n,
  };
}

async function register(
  gcm: Gcm,
  { id, secret }: Credentials,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const response = await fetch(readFlagUrl(gcm, "gcm-registration-url"), {
    method: "POST",
    headers: { authorization: `AidLogin ${id}:${secret}` },
    body: new URLSearchParams({ app: "org.chromium.linux", "X-subtype": "wp:a", ...fields }),
  });
  return response.text();
}

/** Logs in as a browser and collects the received packets. */
async function logIn(
  t: TestContext,
  gcm: Gcm,
  { id, secret, receivedIds = [] }: Credentials & { readonly receivedIds?: readonly string[] },
) {
  const { hostname: host, port } = readFlagUrl(gcm, "gcm-mcs-endpoint");
  // Chromium checks the certificate's hash; this test trusts any certificate.
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
  t.after(() => socket.destroy());
  await once(socket, "secureConnect");
  const packets = new Arrivals<Packet>("packets of the push service");
  const connection = new McsConnection(socket, (tag, fields) => packets.add({ tag, fields }));
  connection.send(
    PACKET_TAGS.login,
    encodeBytesField(LOGIN_REQUEST_FIELDS.androidId, String(id)),
    encodeBytesField(LOGIN_REQUEST_FIELDS.securityToken, String(secret)),
    ...receivedIds.map((id) => encodeBytesField(LOGIN_REQUEST_FIELDS.receivedId, id)),
  );
  return { socket, connection, packets };
}

async function setUp(t: TestContext) {
  const gcm = await Gcm.start();
  const sender = new WebPushSender(createDoubleConnector(gcm.service));
  t.after(async () => {
    await sender.close();
    await gcm.close();
  });
  const credentials = await checkIn(gcm);
  const response = await register(gcm, credentials, { sender: sender.keys.publicKey });
  const token = response.replace("token=", "");
  const endpoint = `https://jmt17.google.com/fcm/send/${token}`;
  return {
    gcm,
    sender,
    credentials,
    target: { endpoint, keys: generateReceiverKeys().publicKeys },
  };
}

test("a message to Google's host reaches the browser's connection", async (t) => {
  const { gcm, sender, credentials, target } = await setUp(t);
  const { packets, connection } = await logIn(t, gcm, credentials);
  assert.equal((await packets.next()).tag, PACKET_TAGS.loginResponse);
  const request = sender.compose(target, "hello");
  assert.equal((await sender.post(request)).status, 201);
  const { tag, fields } = await packets.next();
  assert.equal(tag, PACKET_TAGS.dataMessage);
  assert.deepEqual(readStrings(fields, DATA_MESSAGE_FIELDS.sender), [sender.keys.publicKey]);
  assert.deepEqual(readStrings(fields, DATA_MESSAGE_FIELDS.app), ["org.chromium.linux"]);
  assert.deepEqual(fields.get(DATA_MESSAGE_FIELDS.body), [request.body]);
  connection.send(PACKET_TAGS.ping);
  assert.equal((await packets.next()).tag, PACKET_TAGS.pong);
});

test("a reconnected browser gets only messages that it has not received", async (t) => {
  const { gcm, sender, credentials, target } = await setUp(t);
  const first = await logIn(t, gcm, credentials);
  await first.packets.next();
  assert.equal(await sender.send(target, "got"), 201);
  const { fields } = await first.packets.next();
  first.socket.destroy();

  assert.equal(await sender.send(target, "missed"), 201);
  const receivedIds = readStrings(fields, DATA_MESSAGE_FIELDS.persistentId);
  const second = await logIn(t, gcm, { ...credentials, receivedIds });
  assert.equal((await second.packets.next()).tag, PACKET_TAGS.loginResponse);
  const missedMessage = await second.packets.next();
  const missedIds = readStrings(missedMessage.fields, DATA_MESSAGE_FIELDS.persistentId);
  assert.notDeepEqual(missedIds, receivedIds);
});

test("a browser keeps its id only if it checks in with its secret", async (t) => {
  const { gcm, credentials } = await setUp(t);
  assert.deepEqual(await checkIn(gcm, credentials), credentials);
  const impostor = await checkIn(gcm, { ...credentials, secret: 1n });
  assert.notEqual(impostor.id, credentials.id);
});

test("registering and logging in require the secret", async (t) => {
  const { gcm, credentials } = await setUp(t);
  const wrongCredentials = { ...credentials, secret: 1n };
  assert.match(await register(gcm, wrongCredentials, { sender: "x" }), /^Error=/u);
  const { socket } = await logIn(t, gcm, wrongCredentials);
  await once(socket, "close");
});

test("the endpoint of a deleted registration answers 410", async (t) => {
  const { gcm, sender, credentials, target } = await setUp(t);
  await register(gcm, credentials, { sender: sender.keys.publicKey, delete: "true" });
  await gcm.waitForEndedSubscriptions(1);
  assert.equal(await sender.send(target, "too late"), 410);
});
