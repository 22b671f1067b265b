// Started as a process of its own: HTTP/1.1, over TLS or plain, that answers every POST with 201 as soon as its body
// has arrived. It only counts bytes, so that it is never the bottleneck of a measurement.
//
// node https-sink.ts [plain]
import type { Socket } from "node:net";
import { servePushes } from "./serving.ts";

const HEAD_END = "\r\n\r\n";
const LENGTH = /^content-length: (\d+)\r?$/im;
const ANSWER = Buffer.from("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n");

await servePushes({ serve });

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on("error", () => {});
  let head = "";
  let missing = 0;
  socket.on("data", (chunk: Buffer) => {
    let bytes = chunk;
    while (bytes.length > 0) {
      if (missing > 0) {
        const taken = Math.min(missing, bytes.length);
        missing -= taken;
        bytes = bytes.subarray(taken);
        if (missing === 0) socket.write(ANSWER);
        continue;
      }
      const before = head.length;
      head += bytes.toString("latin1");
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      missing = Number(LENGTH.exec(head.slice(0, end + 1))?.[1] ?? 0);
      bytes = bytes.subarray(end + HEAD_END.length - before);
      head = "";
      if (missing === 0) socket.write(ANSWER);
    }
  });
}
