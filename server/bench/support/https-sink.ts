// An HTTP/1.1 server in a separate process, with or without TLS, that answers every POST with 201 when its body has
// arrived. It only counts bytes, so that it is never the bottleneck of a measurement.
//
// node https-sink.ts [plain]
import type { Socket } from "node:net";
import { servePushService } from "./serve-push-service.ts";

const HEADER_END = "\r\n\r\n";
const CONTENT_LENGTH_PATTERN = /^content-length: (\d+)\r?$/im;
const RESPONSE = Buffer.from("HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n");

await servePushService({ serve });

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on("error", () => {});
  let header = "";
  let missingBytes = 0;
  socket.on("data", (chunk: Buffer) => {
    let bytes = chunk;
    while (bytes.length > 0) {
      if (missingBytes > 0) {
        const consumedBytes = Math.min(missingBytes, bytes.length);
        missingBytes -= consumedBytes;
        bytes = bytes.subarray(consumedBytes);
        if (missingBytes === 0) socket.write(RESPONSE);
        continue;
      }
      const earlierHeaderLength = header.length;
      header += bytes.toString("latin1");
      const end = header.indexOf(HEADER_END);
      if (end < 0) return;
      missingBytes = Number(CONTENT_LENGTH_PATTERN.exec(header.slice(0, end + 1))?.[1] ?? 0);
      bytes = bytes.subarray(end + HEADER_END.length - earlierHeaderLength);
      header = "";
      if (missingBytes === 0) socket.write(RESPONSE);
    }
  });
}
