// An HTTP/2 server in a separate process that answers every request with 200 as fast as it can count bytes. It parses
// no fields and checks nothing, so that it is never the bottleneck of a measurement.
//
// node answering-service.ts [plain] [--body=TEXT]: without TLS if plain; every response has this body, none by default
import type { Socket } from "node:net";
import { replyTo, encodeResponse } from "./http2-replies.ts";
import {
  countFlowControlled,
  splitFrames,
  encodeSettings,
  encodeWindowUpdate,
} from "./http2-frames.ts";
import { servePushService } from "./serve-push-service.ts";

const PREFACE_BYTES = 24;
const WINDOW = 2 ** 30;
const GREETING = Buffer.concat([
  encodeSettings({ streamsMax: 1_000, window: WINDOW }),
  encodeWindowUpdate(WINDOW),
]);
const BODY_FLAG = "--body=";
const BODY = process.argv.find((arg) => arg.startsWith(BODY_FLAG))?.slice(BODY_FLAG.length) ?? "";
const ANSWER = encodeResponse(Buffer.from(BODY));

await servePushService({
  serve,
  // For libraries that cannot be configured for another host.
  names: ["fcm.googleapis.com"],
  protocols: ["h2"],
});

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.write(GREETING);
  // Assumes that clients send the preface in one piece.
  let from = PREFACE_BYTES;
  let rest: Buffer = Buffer.alloc(0);
  let counted = 0;
  socket.on("data", (chunk: Buffer) => {
    const frames = splitFrames(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), from);
    from = 0;
    rest = Buffer.from(frames.bytes.subarray(frames.end));
    const answers = replyTo(frames, ANSWER);
    if (answers.length > 0) socket.write(answers);
    counted += countFlowControlled(frames);
    if (counted > WINDOW / 2) {
      socket.write(encodeWindowUpdate(counted));
      counted = 0;
    }
  });
}
