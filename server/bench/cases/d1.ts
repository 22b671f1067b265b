import { join } from "node:path";
import type { BenchCase, Contender } from "../case.ts";
import { startPeer } from "../start-peer.ts";

const HERE = import.meta.dirname;
const CLIENT = join(HERE, "../work/http2-client.ts");

function client(name: string, kind: Contender["kind"], speaker: string): Contender {
  return { name, kind, module: CLIENT, input: { speaker } };
}

/** Pushes to iPhones: the client alone, against a service that only counts. */
export const d1: BenchCase = {
  name: "D1",
  what: "pushes over HTTP/2 and TLS on one connection, one core",
  figure: "perSecond",
  unit: "pushes/s",
  contenders: [
    client("our client", "ours", "own"),
    client("our client over node:http2", "way back", "node"),
    {
      name: "node:http2 alone",
      kind: "ceiling",
      module: join(HERE, "../work/bare-node-http2.ts"),
      input: {},
    },
  ],
  start: (scope) => startPeer(scope, join(HERE, "../peers/answering-service.ts")),
  bars: [
    { what: "pushes, of node:http2 alone", of: "our client", to: "node:http2 alone", atLeast: 5 },
  ],
};
