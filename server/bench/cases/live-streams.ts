import { parseLinkToken } from "../../test/support/link-token.ts";
import type { Bar, BenchCase } from "../case.ts";
import { SAMPLE } from "../support/sample.ts";
import { TOCSIN_STREAM, type StreamsTarget } from "../support/stream-reader.ts";
import { signUpMany, startTocsin, type Tocsin } from "../support/tocsin.ts";
import { createGotifyStreams } from "../programs/gotify.ts";
import { createNtfyStreams } from "../programs/ntfy.ts";
import type { RunningProgram } from "../programs/program.ts";
import { createPeerContenders, startTargets } from "../programs/start-found.ts";
import { createCostBar, createReference, startReference, TOCSIN } from "./reference.ts";

/** The owner, and as many members as one person may invite in a day. */
const MEMBER_COUNT = 21;
/** The limit of open streams per account. */
const STREAMS_PER_MEMBER = 20;
const STREAM_COUNT = MEMBER_COUNT * STREAMS_PER_MEMBER;
/** The connections to bare Fastify, as in the cases that compare a send with its request. */
const REFERENCE_CONNECTIONS = 64;
const MODULE = "publish-to-streams";
/** The servers of other projects that have live streams. */
const PEERS = {
  ntfy: (server: RunningProgram) => createNtfyStreams(server, STREAM_COUNT),
  Gotify: (server: RunningProgram) => createGotifyStreams(server, STREAM_COUNT),
} as const;

/** Measures the processor time of publishing a team's notification to every open stream of its members. */
export const liveStreams: BenchCase = {
  name: "L2",
  title: `one notification to ${STREAM_COUNT} open streams, until the last one has it`,
  figure: "cpuUs",
  unit: "µs of processor time per stream",
  contenders: [
    { name: TOCSIN, kind: "ours", module: MODULE, input: { target: TOCSIN } },
    createReference(REFERENCE_CONNECTIONS),
    ...createPeerContenders(PEERS, { module: MODULE }),
  ],
  async start(scope, programs) {
    const server = await startTocsin(scope);
    const [owner, ...invitees] = await signUpMany(server, MEMBER_COUNT);
    if (owner === undefined) throw new Error("Nobody signed up.");
    const { id: teamId, key } = await owner.client.teams.create({ name: "Readers" });
    for (const { client, email } of invitees) {
      const { link } = await owner.client.teams.invite(teamId, { email });
      await client.invitations.acceptToken(parseLinkToken(link));
    }
    const accessTokens: string[] = [];
    for (const { client } of [owner, ...invitees]) {
      accessTokens.push((await client.accessTokens.create({ label: "stream" })).token);
    }
    const peerStreams = await startTargets(scope, PEERS, { programs });
    const streamsOf = { [TOCSIN]: createStreams(server, { key, accessTokens }), ...peerStreams };
    return { pid: server.child.pid, streamsOf, targets: await startReference(scope) };
  },
  bars: [createCostBar(0.5), createLastStreamBar("ntfy"), createLastStreamBar("Gotify")],
};

function createStreams(
  { url, child }: Tocsin,
  { key, accessTokens }: { readonly key: string; readonly accessTokens: readonly string[] },
): StreamsTarget {
  if (child.pid === undefined) throw new Error("The server is not running.");
  const send = { path: "/api/v1/notify-async", headers: { "x-api-key": key }, body: SAMPLE };
  const streams = accessTokens.flatMap((token) => {
    const headers = { authorization: `Bearer ${token}` };
    const stream = { path: "/api/app/v1/live", headers };
    return Array.from({ length: STREAMS_PER_MEMBER }, () => stream);
  });
  const target = { url, pid: child.pid, requests: [send], acceptedText: '"success":true' };
  return { ...TOCSIN_STREAM, target, streams };
}

function createLastStreamBar(peer: string): Bar {
  const label = `time until the last stream has it, of ${peer} compared with ours`;
  return { label, contender: peer, baseline: TOCSIN, figure: "lastMs", atLeast: 1.5 };
}
