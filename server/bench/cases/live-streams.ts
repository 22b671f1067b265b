import { parseLinkToken } from "../../test/support/link-token.ts";
import type { BenchCase } from "../case.ts";
import { signUpMany, startTocsin } from "../peers/tocsin.ts";
import { createCostBar, createReference, startReference, TOCSIN } from "./reference.ts";

/** The owner, and as many members as one person may invite in a day. */
const MEMBER_COUNT = 21;
/** As many as one account may open. */
const STREAMS_PER_MEMBER = 20;

/** Measures the processor time of publishing a team's notification to every open stream of its members. */
export const liveStreams: BenchCase = {
  name: "L2",
  what: `one notification to ${MEMBER_COUNT * STREAMS_PER_MEMBER} open streams, until the last one has it`,
  figure: "cpuUs",
  unit: "µs of processor time per stream",
  contenders: [{ name: TOCSIN, kind: "ours", module: "publish-to-streams" }, createReference(64)],
  async start(scope) {
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
    const { url, child } = server;
    const input = { url, pid: child.pid, key, accessTokens, streamsPerToken: STREAMS_PER_MEMBER };
    return { ...input, targets: await startReference(scope) };
  },
  bars: [createCostBar(0.5)],
};
