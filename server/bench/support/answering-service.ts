// An HTTP/2 server in a separate process that answers every request with 200 as fast as it can count bytes. It parses
// no fields and checks nothing, so that it is never the bottleneck of a measurement.
//
// node answering-service.ts [plain] [--body=TEXT] [--port=N]: without TLS if plain; every response has this body, none by
// default; a free port by default
import type { Socket } from "node:net";
import { createReplies, encodeResponse } from "./http2-replies.ts";
import {
  countFlowControlledBytes,
  splitFrames,
  encodeSettings,
  encodeWindowUpdate,
} from "./http2-frames.ts";
import { servePushService } from "./serve-push-service.ts";

/** The size of the client's connection preface (RFC 9113 section 3.4). */
const PREFACE_BYTES = 24;
const WINDOW_BYTES = 2 ** 30;
const GREETING = Buffer.concat([
  encodeSettings({ streamsMax: 1_000, window: WINDOW_BYTES }),
  encodeWindowUpdate(WINDOW_BYTES),
]);
const BODY_FLAG = "--body=";
const RESPONSE_BODY =
  process.argv.find((arg) => arg.startsWith(BODY_FLAG))?.slice(BODY_FLAG.length) ?? "";
const RESPONSE = encodeResponse(Buffer.from(RESPONSE_BODY));

await servePushService({
  serve,
  // For libraries and servers that cannot be configured for another host.
  names: ["api.push.apple.com", "fcm.googleapis.com"],
  protocols: ["h2"],
});

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.write(GREETING);
  // Assumes that clients send the preface in one piece.
  let offset = PREFACE_BYTES;
  let incompleteFrame: Buffer = Buffer.alloc(0);
  let unacknowledgedBytes = 0;
  socket.on("data", (chunk: Buffer) => {
    const frames = splitFrames(
      incompleteFrame.length === 0 ? chunk : Buffer.concat([incompleteFrame, chunk]),
      offset,
    );
    offset = 0;
    incompleteFrame = Buffer.from(frames.bytes.subarray(frames.end));
    const replies = createReplies(frames, RESPONSE);
    if (replies.length > 0) socket.write(replies);
    unacknowledgedBytes += countFlowControlledBytes(frames);
    if (unacknowledgedBytes > WINDOW_BYTES / 2) {
      socket.write(encodeWindowUpdate(unacknowledgedBytes));
      unacknowledgedBytes = 0;
    }
  });
}
