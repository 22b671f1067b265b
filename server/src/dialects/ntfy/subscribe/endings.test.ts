import assert from "node:assert/strict";
import test from "node:test";
import { requestJson, send } from "../../../../test/contract/http-requests.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import {
  createMailboxMessage,
  createTooManyStreamsError,
} from "../../../../test/support/memory-apps.ts";
import {
  basic,
  openPaused,
  openStream,
  openWebSocket,
  sendUntil,
  startNtfyServer,
} from "../../../../test/support/ntfy-subscriber.ts";

test("a stream that cannot be opened is refused before its response begins", async (t) => {
  const { apps, url } = await startNtfyServer(t);
  apps.beforeOpen = async () => {
    throw createTooManyStreamsError();
  };
  const refused = await requestJson(url, { path: "/backups/json", headers: basic() });
  assert.deepEqual([refused.status, JSON.parse(refused.text).code], [429, 42901]);
  assert.equal(refused.headers["retry-after"], "60");
  await assert.rejects(openWebSocket(t, `${url}/backups/ws`), /Unexpected server response: 429/);
});

test("an app that leaves while its stream opens leaves nothing behind", async (t) => {
  const { apps, url, countConnections } = await startNtfyServer(t);
  for (const path of ["/backups/json", "/backups/ws"]) {
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    apps.beforeOpen = async () => {
      asked.resolve();
      await gate.promise;
    };
    const controller = new AbortController();
    const isWebSocket = path.endsWith("ws");
    const headers = isWebSocket
      ? {
          ...basic(),
          connection: "Upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        }
      : basic();
    const response = sendUntil(url, { path, headers, signal: controller.signal });
    await asked.promise;
    controller.abort();
    await response;
    // Nothing reads a WebSocket before it is accepted.
    if (!isWebSocket) await eventually(countConnections, (count) => count === 0);
    gate.resolve();
    await eventually(
      async () => apps.positions.length,
      (count) => count > 0,
    );
    await eventually(
      async () => apps.connections.size,
      (size) => size === 0,
    );
    apps.positions.length = 0;
  }
});

test("the messages of a poll count as fetched once its response is written, and not if the app leaves before", async (t) => {
  const { apps, url, countConnections } = await startNtfyServer(t);
  const body = "x".repeat(16_000);
  for (let number = 1; number <= 2_000; number += 1) {
    apps.messages.push(createMailboxMessage({ number, body }));
  }
  for (const path of ["/backups/json", "/backups/ws"]) {
    apps.positions.length = 0;
    const pause = await openPaused(t, `${url}${path}?poll=1`);
    await eventually(
      async () => apps.positions.length,
      (length) => length === 1,
    );
    // The system takes only a part of the response, because nothing reads it.
    pause.destroy();
    await eventually(countConnections, (count) => count === 0);
    assert.equal(apps.fetchedNumbers.length, 0);
  }
  apps.messages.length = 2;
  await send(url, { path: "/backups/json?poll=1", headers: basic() });
  await eventually(
    async () => apps.fetchedNumbers,
    ({ length }) => length > 0,
  );
  const { ended } = await openWebSocket(t, `${url}/backups/ws?poll=1`);
  await ended;
  assert.deepEqual(apps.fetchedNumbers, [1, 2, 1, 2]);
});

test("an app that reads nothing is cut at 1 MiB, and its messages do not count as written", async (t) => {
  const { apps, url } = await startNtfyServer(t);
  const body = "x".repeat(16_000);
  for (const path of ["/backups/json", "/backups/ws"]) {
    apps.writtenCount = 0;
    const pause = await openPaused(t, `${url}${path}`);
    await eventually(
      async () => apps.connections.size,
      (size) => size === 1,
    );
    const failures: unknown[] = [];
    let count = 0;
    for (; failures.length === 0 && count < 2_000; count += 1) {
      const message = createMailboxMessage({ number: count + 1, body });
      apps.deliver(message).catch((error: unknown) => failures.push(error));
      // Lets the operating system take what it can.
      await new Promise(setImmediate);
    }
    assert.match(String(failures), /connection of the app is closed/, path);
    const { writtenCount } = apps;
    await eventually(
      async () => apps.connections.size,
      (size) => size === 0,
    );
    // An event with this body has less than 17,000 bytes.
    assert.ok(count - writtenCount >= (1024 * 1024) / 17_000, `${count - writtenCount}`);
    pause.destroy();
  }
});

test("an app that reads nothing of a poll, or of a stream, is cut after 60 seconds", async (t) => {
  const { apps, url, countConnections } = await startNtfyServer(t);
  for (let number = 1; number <= 1_000; number += 1) {
    apps.messages.push(createMailboxMessage({ number, body: "x".repeat(16_000) }));
  }
  for (const path of ["/backups/ws?poll=1", "/backups/ws", "/backups/json"]) {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const socket = await openPaused(t, `${url}${path}`);
    await eventually(
      async () => apps.positions.length,
      (count) => count > 0,
    );
    apps.positions.length = 0;
    // The writes stop once the buffers of the operating system are full.
    for (let count = 0; count < 500; count += 1) await new Promise(setImmediate);
    assert.equal(await countConnections(), 1, path);
    t.mock.timers.tick(60_000);
    await eventually(countConnections, (count) => count === 0);
    t.mock.timers.reset();
    socket.destroy();
  }
});

test("an app that leaves in the middle of a poll is no error of the server", async (t) => {
  const { apps, context, url, countConnections } = await startNtfyServer(t);
  const failures: unknown[] = [];
  for (const level of ["warn", "error", "fatal"] as const) {
    t.mock.method(context.log, level, (...facts: unknown[]) => failures.push(facts));
  }
  for (let number = 1; number <= 1_000; number += 1) {
    apps.messages.push(createMailboxMessage({ number, body: "x".repeat(16_000) }));
  }
  const socket = await openPaused(t, `${url}/backups/ws?poll=1`);
  await eventually(
    async () => apps.positions.length,
    (count) => count > 0,
  );
  socket.destroy();
  await eventually(countConnections, (count) => count === 0);
  await new Promise(setImmediate);
  assert.deepEqual(failures, []);
});

test("the end of a credential or of the server cuts every stream, so that apps connect again", async (t) => {
  const { apps, url, close } = await startNtfyServer(t);
  const open = async () => {
    const json = await openStream(t, `${url}/backups/json`);
    const { ended } = await openWebSocket(t, `${url}/backups/ws`);
    json.response.resume();
    await eventually(
      async () => apps.connections.size,
      (size) => size === 2,
    );
    return [json.ended, ended] as const;
  };
  const revoked = await open();
  for (const connection of apps.connections) connection.destroy();
  // An orderly end would make the app of ntfy connect again without a pause.
  assert.deepEqual(await Promise.all(revoked), [false, 1006]);
  const stopped = await open();
  const startedAt = performance.now();
  await close();
  assert.deepEqual(await Promise.all(stopped), [false, 1006]);
  assert.ok(performance.now() - startedAt < 2_000);
});
