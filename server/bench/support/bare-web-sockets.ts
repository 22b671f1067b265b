// WebSockets of the package `ws` in a separate process. A POST sends one message to each of them, followed by a ping, and
// is answered once all have answered. Nothing is stored.
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { listenAt, notifyParent } from "./serve-push-service.ts";
import { SAMPLE } from "./sample.ts";

/** The sample as a message of ntfy. */
const MESSAGE = JSON.stringify({
  id: "0193a8d2-6c00-7a4e-9b1c-2f6d8e4a7b3c",
  time: 1_795_000_000,
  event: "message",
  topic: "all-a1b2c3d4e5",
  title: SAMPLE.title,
  message: SAMPLE.body,
  click: SAMPLE.link,
});

let broadcastCount = 0;
let unansweredCount = 0;
let onAllAnswered = () => {};

const server = createServer((_request, response) => {
  broadcastCount += 1;
  unansweredCount = protocol.clients.size;
  onAllAnswered = () => response.end('{"success":true}');
  for (const webSocket of protocol.clients) {
    webSocket.send(MESSAGE);
    webSocket.ping(String(broadcastCount));
  }
});
const protocol = new WebSocketServer({ server, perMessageDeflate: false });
protocol.on("connection", (webSocket) => {
  webSocket.on("error", () => {});
  webSocket.on("pong", (payload) => {
    if (payload.toString("latin1") !== String(broadcastCount)) return;
    unansweredCount -= 1;
    if (unansweredCount === 0) onAllAnswered();
  });
});
notifyParent({ origin: await listenAt(server, "http"), pid: process.pid });
