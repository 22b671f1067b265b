// npm run flame -- NAME             profiles the server in a case of npm run bench, and writes flame-NAME.svg
// npm run flame -- NAME --out=FILE  writes the flame graph to FILE
//
// The cases are those in which a server sends to devices: P1, P2 and P3.
import { writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { BenchCase, Programs } from "../server/bench/case.ts";
import {
  sendToAndroid,
  sendToBrowser,
  sendToIphone,
} from "../server/bench/cases/send-to-device.ts";
import { measure } from "../server/bench/measure.ts";
import { buildCallTree } from "../server/bench/profile/call-tree.ts";
import { drawFlameGraph } from "../server/bench/profile/flame-graph.ts";
import { recordProfiles, type ThreadProfiles } from "../server/bench/profile/record-profiles.ts";
import { findFlagValue } from "./flags.ts";

const CASES: readonly BenchCase[] = [sendToIphone, sendToAndroid, sendToBrowser];
const DURATIONS = { warmUpMs: 4_000, measuredMs: 8_000 };
const PROFILE_MS = 5_000;
/** The servers of other projects are not profiled. */
const NO_PROGRAMS: Programs = new Map();

const [name = "", ...args] = process.argv.slice(2);
const chosen = CASES.find((candidate) => candidate.name === name.toUpperCase());
if (chosen === undefined) {
  console.error(`Name one of ${CASES.map((candidate) => candidate.name).join(", ")}.`);
  process.exitCode = 2;
} else await drawCase(chosen, findFlagValue("out", args) ?? `flame-${chosen.name}.svg`);

async function drawCase(benchCase: BenchCase, file: string): Promise<void> {
  console.error(`${benchCase.name}: ${benchCase.title}`);
  const profiles = await profileCase(benchCase);
  const threads = [...profiles]
    .map(([thread, profile]) => buildCallTree(profile, thread))
    .filter(({ totalUs }) => totalUs > 0);
  writeFileSync(file, drawFlameGraph(`${benchCase.name}: ${benchCase.title}`, threads));
  console.log(`Wrote ${file}.`);
}

/** Runs the first contender of a case, and profiles the server once it is warm. */
async function profileCase(benchCase: BenchCase): Promise<ThreadProfiles> {
  let recording: Promise<ThreadProfiles> | undefined;
  const [contender] = benchCase.contenders;
  if (contender === undefined) throw new Error("The case has no contender.");
  const profiled: BenchCase = {
    ...benchCase,
    contenders: [contender],
    start: async (scope) => {
      const environment = await benchCase.start(scope, NO_PROGRAMS);
      recording = wait(DURATIONS.warmUpMs).then(() =>
        recordProfiles(findServerPid(environment), PROFILE_MS),
      );
      return environment;
    },
  };
  await measure(profiled, {
    roundCount: 1,
    durations: DURATIONS,
    programs: NO_PROGRAMS,
    onRound: () => {},
  });
  if (recording === undefined) throw new Error("The case did not start.");
  return recording;
}

/** The environments of the cases name the server's process in one of two ways. */
function findServerPid(environment: Readonly<Record<string, unknown>>): number {
  const { pid, targets } = environment as {
    readonly pid?: number;
    readonly targets?: { readonly tocsin?: { readonly pid: number } };
  };
  const serverPid = pid ?? targets?.tocsin?.pid;
  if (serverPid === undefined) throw new Error("The case starts no server.");
  return serverPid;
}
