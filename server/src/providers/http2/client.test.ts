import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import {
  answerOk,
  requestMany,
  clientOf,
  countResults,
  requestTo,
  roundTrip,
  startHttp2Peer,
  startRawPeer,
} from "../../../test/support/http2-peer.ts";
import type { PeerRequest } from "../../../test/support/http2-peer.ts";

/** Records the largest number of concurrent requests on one session. */
function countOpen() {
  const open = new Map<object, number>();
  const seen = { most: 0 };
  return {
    seen,
    note: ({ session, stream }: PeerRequest): void => {
      const count = (open.get(session) ?? 0) + 1;
      open.set(session, count);
      seen.most = Math.max(seen.most, count);
      stream.once("close", () => open.set(session, (open.get(session) ?? 0) - 1));
    },
  };
}

test("200 requests at once on a new connection that allows one stream are all answered", async (t) => {
  const { seen, note } = countOpen();
  const peer = await startHttp2Peer(
    t,
    (asked) => {
      note(asked);
      answerOk(asked);
    },
    { settings: { maxConcurrentStreams: 1 } },
  );
  const client = clientOf(t, peer.origin);
  assert.deepEqual(countResults(await requestMany(client, 200)), { answered: 200 });
  assert.equal(peer.requests.all.length, 200);
  assert.equal(peer.sessions.all.length, 1);
  assert.equal(seen.most, 1);
});

test("no connection is made before the first request, and one serves what comes later", async (t) => {
  const peer = await startHttp2Peer(t, answerOk);
  const client = clientOf(t, peer.origin);
  assert.equal(peer.sessions.all.length, 0);
  for (const path of ["/first", "/second"]) {
    const exchange = await client.request(requestTo(path));
    assert.equal(exchange.kind === "answered" && exchange.answer.body, path);
  }
  assert.equal(peer.sessions.all.length, 1);
});

test("streams are opened up to the lower of what SETTINGS allow and what we want", async (t) => {
  for (const [maxConcurrentStreams, streamsMax] of [
    [4, 100],
    [100, 7],
  ] as const) {
    const held: PeerRequest[] = [];
    const peer = await startHttp2Peer(t, (asked) => held.push(asked), {
      settings: { maxConcurrentStreams },
    });
    const least = Math.min(maxConcurrentStreams, streamsMax);
    const exchanges = requestMany(clientOf(t, peer.origin, { streamsMax }), 20);
    await peer.requests.received(least);
    await roundTrip(held[0]?.session);
    assert.equal(peer.requests.all.length, least);
    while (held.length > 0) {
      for (const asked of held.splice(0)) answerOk(asked);
      await peer.requests.received(Math.min(20, peer.requests.all.length + 1));
    }
    assert.deepEqual(countResults(await exchanges), { answered: 20 });
  }
});

test("later SETTINGS raise and lower the number of streams", async (t) => {
  const held: PeerRequest[] = [];
  const peer = await startHttp2Peer(t, (asked) => held.push(asked), {
    settings: { maxConcurrentStreams: 2 },
  });
  const exchanges = requestMany(clientOf(t, peer.origin), 30);
  await peer.requests.received(2);
  const session = held[0]?.session;
  session?.settings({ maxConcurrentStreams: 5 });
  await peer.requests.received(5);
  session?.settings({ maxConcurrentStreams: 1 });
  await roundTrip(held[0]?.session);
  const raised = held.splice(0);
  for (const asked of raised.slice(1)) await answerAndClose(asked);
  await roundTrip(raised[0]?.session);
  assert.equal(peer.requests.all.length, 5);
  for (const asked of raised.slice(0, 1)) await answerAndClose(asked);
  await peer.requests.received(6);
  await roundTrip(held[0]?.session);
  assert.equal(peer.requests.all.length, 6);
  session?.settings({ maxConcurrentStreams: 30 });
  await peer.requests.received(30);
  for (const asked of held) answerOk(asked);
  assert.deepEqual(countResults(await exchanges), { answered: 30 });
});

async function answerAndClose(asked: PeerRequest): Promise<void> {
  const closed = once(asked.stream, "close");
  answerOk(asked);
  await closed;
}

test("a server that allows no stream from the start is waited for", async (t) => {
  const peer = await startHttp2Peer(t, answerOk, { settings: { maxConcurrentStreams: 0 } });
  const exchanges = requestMany(clientOf(t, peer.origin), 10);
  const session = await peer.sessions.next();
  for (const _ of [1, 2]) {
    await roundTrip(session);
  }
  assert.equal(peer.requests.all.length, 0);
  session.settings({ maxConcurrentStreams: 10 });
  assert.deepEqual(countResults(await exchanges), { answered: 10 });
  assert.equal(peer.requests.all.length, 10);
});

test("a server that allows no stream for a while is waited for", async (t) => {
  const peer = await startHttp2Peer(t, answerOk, { settings: { maxConcurrentStreams: 1 } });
  const client = clientOf(t, peer.origin);
  assert.deepEqual(countResults(await requestMany(client, 1)), { answered: 1 });
  const session = await peer.sessions.next();
  await new Promise<void>((resolve) => {
    session.settings({ maxConcurrentStreams: 0 }, () => resolve());
  });
  const exchanges = requestMany(client, 10);
  await roundTrip(session);
  assert.equal(peer.requests.all.length, 1);
  session.settings({ maxConcurrentStreams: 10 });
  assert.deepEqual(countResults(await exchanges), { answered: 10 });
});

test("only so many requests may wait, and the rest end at once", async (t) => {
  // It never answers the TLS handshake.
  const peer = await startRawPeer(t, () => {});
  const client = clientOf(t, peer.origin.replace("http:", "https:"));
  const waiting = requestMany(client, 5_000);
  for (const exchange of await requestMany(client, 3)) {
    assert.equal(exchange.kind === "unsent" && exchange.cause, "given up");
    assert.match(exchange.kind === "unsent" ? exchange.error.message : "", /Too many wait/u);
  }
  await client.close();
  assert.equal((await waiting).length, 5_000);
});

test("requests reach the server with their headers, and with secrets kept out of the table", async (t) => {
  const peer = await startHttp2Peer(t, answerOk);
  const client = clientOf(t, peer.origin);
  const headers = { authorization: "bearer secret", "apns-topic": "org.example.app" };
  const neverIndexed = ["authorization", ":path"];
  await client.request(requestTo("/3/device/ab", { headers, neverIndexed }));
  const { headers: seen } = await peer.requests.next();
  assert.equal(seen[":method"], "POST");
  assert.equal(seen[":path"], "/3/device/ab");
  assert.equal(seen[":scheme"], "http");
  assert.equal(seen[":authority"], new URL(peer.origin).host);
  assert.equal(seen["authorization"], "bearer secret");
  assert.equal(seen["apns-topic"], "org.example.app");
  assert.equal(seen["content-length"], "2");
  assert.deepEqual(sensitiveOf(seen).toSorted(), [":path", "authorization"]);
});

function sensitiveOf(headers: object): readonly string[] {
  const [list] = Object.getOwnPropertySymbols(headers);
  const found: unknown = list === undefined ? [] : Reflect.get(headers, list);
  return Array.isArray(found) ? found.map(String) : [];
}
