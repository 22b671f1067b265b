import { ManualScope, type Scope } from "../../test/support/scope.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Contender, Programs } from "../case.ts";
import { getProgram, PEER_PROGRAMS } from "./find-programs.ts";
import type { PeerName, RunningProgram, StartOptions } from "./program.ts";
import type { PushHosts } from "./push-hosts.ts";

/** Functions by server: each prepares the running server, and returns the target of its measurement. */
export type PeerTargetFactories = Readonly<
  Partial<Record<PeerName, (server: RunningProgram) => object | Promise<object>>>
>;

/** Returns a contender for each of the servers. Its input `target` is the name of the server. */
export function createPeerContenders(
  targets: PeerTargetFactories,
  { input = {}, ...contender }: Pick<Contender, "module" | "input" | "hasFixedPushHost">,
): readonly Contender[] {
  return listNames(targets).map((name) => {
    const kind = "peer" as const;
    return { ...contender, name, kind, program: name, input: { ...input, target: name } };
  });
}

/** Returns a contender for every server, for cases without any requests. */
export function createIdleContenders(module: string): readonly Contender[] {
  return PEER_PROGRAMS.map(({ name }) => {
    return { name, kind: "peer", module, cores: "all", program: name, input: { target: name } };
  });
}

/** Starts the servers whose binaries were found, and returns their targets by name. */
export async function startTargets(
  scope: Scope,
  targets: PeerTargetFactories,
  { programs, pushHosts = null }: { programs: Programs; pushHosts?: PushHosts | null },
): Promise<Readonly<Record<string, object>>> {
  const started: Record<string, object> = {};
  for (const name of listNames(targets)) {
    const path = programs.get(name);
    if (path === undefined) continue;
    const options = { ...(await createStartOptions(scope, path)), ...(pushHosts && { pushHosts }) };
    const target = await targets[name]?.(await getProgram(name).start(scope, options));
    if (target !== undefined) started[name] = target;
  }
  return started;
}

/** Starts every server whose binary was found, and returns their process ids by name. */
export async function startAll(
  scope: Scope,
  programs: Programs,
): Promise<Readonly<Record<string, number>>> {
  const pids: Record<string, number> = {};
  for (const [name, path] of programs) {
    const options = await createStartOptions(scope, path);
    pids[name] = (await getProgram(name).start(scope, options)).pid;
  }
  return pids;
}

/** Starts every server once and ends it, and returns the options for starting it again, by name. */
export async function startOnce(
  scope: Scope,
  programs: Programs,
): Promise<Readonly<Record<string, StartOptions>>> {
  const starts: Record<string, StartOptions> = {};
  for (const [name, path] of programs) {
    const firstRun = new ManualScope();
    const options = { ...(await createStartOptions(scope, path)), core: "any" } as const;
    await getProgram(name).start(firstRun, options);
    await firstRun.end();
    starts[name] = options;
  }
  return starts;
}

async function createStartOptions(scope: Scope, path: string): Promise<StartOptions> {
  return { path, folder: await createTemporaryFolder(scope), core: "other" };
}

function listNames(targets: PeerTargetFactories): readonly PeerName[] {
  return PEER_PROGRAMS.map(({ name }) => name).filter((name) => name in targets);
}
