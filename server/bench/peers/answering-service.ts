// Started as a process of its own: HTTP/2 that answers every request with 200 as fast as bytes can be counted. It
// parses no fields and checks nothing, so that it is never the bottleneck of a measurement.
//
// node answering-service.ts [plain] [--body=TEXT]: over TLS, or plain; every answer has this body, by default none
import type { Socket } from "node:net";
import { answersTo, answerWith } from "./http2-answers.ts";
import { countedIn, cutFrames, settingsOf, widenedBy } from "./http2-frames.ts";
import { servePushes } from "./serving.ts";

const PREFACE_BYTES = 24;
const WINDOW = 2 ** 30;
const GREETING = Buffer.concat([
  settingsOf({ streamsMax: 1_000, window: WINDOW }),
  widenedBy(WINDOW),
]);
const BODY_FLAG = "--body=";
const BODY = process.argv.find((arg) => arg.startsWith(BODY_FLAG))?.slice(BODY_FLAG.length) ?? "";
const ANSWER = answerWith(Buffer.from(BODY));

await servePushes({
  serve,
  // Libraries that cannot be configured for another address reach it by the name that they know.
  names: ["fcm.googleapis.com"],
  protocols: ["h2"],
});

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.write(GREETING);
  // Clients send the preface in one piece.
  let from = PREFACE_BYTES;
  let rest: Buffer = Buffer.alloc(0);
  let counted = 0;
  socket.on("data", (chunk: Buffer) => {
    const frames = cutFrames(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), from);
    from = 0;
    rest = Buffer.from(frames.bytes.subarray(frames.end));
    const answers = answersTo(frames, ANSWER);
    if (answers.length > 0) socket.write(answers);
    counted += countedIn(frames);
    if (counted > WINDOW / 2) {
      socket.write(widenedBy(counted));
      counted = 0;
    }
  });
}
