import type { Config } from "#config.ts";
import type { Peers } from "#delivery/parts.ts";
import type { Nodes } from "#nodes/nodes.ts";
import type { Rooms } from "./rooms.ts";

const DUE = "due";

/** Returns what delivering needs of the other nodes; null where the database is this process's own. */
export function peersOf({ database, role }: Config, nodes: Nodes): Peers | null {
  if (database.kind === "sqlite") return null;
  return { sends: role !== "api", tellDue: () => nodes.tell(DUE) };
}

/** Lets the rooms hear what other nodes tell, and look by themselves for what may have passed by unheard. */
export function connectNodes({ nodes, delivery, mail }: Rooms): void {
  const { worker } = delivery;
  nodes.on(DUE, () => void worker.takeDue());
  nodes.onDead((ids) => worker.reclaim(ids));
  nodes.onReturn(() => void worker.renewAll());
  nodes.onBeat(async () => {
    await worker.look();
    mail.wake();
  });
}
