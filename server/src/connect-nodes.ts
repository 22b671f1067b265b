import type { Config } from "#config.ts";
import type { Delivery } from "#delivery/delivery-room.ts";
import type { Peers } from "#delivery/parts.ts";
import type { MailQueue } from "#mail/mail.ts";
import type { Nodes } from "#nodes/nodes.ts";

/** What other nodes may leave something to do for, or change something in. */
export interface Connected {
  readonly delivery: Delivery;
  readonly mail: Pick<MailQueue, "wake">;
}

const DUE = "due";

/** Returns what delivering needs of the other nodes; null where the database is this process's own. */
export function peersOf({ database, role }: Config, nodes: Nodes): Peers | null {
  if (database.kind === "sqlite") return null;
  return { sends: role !== "api", tellDue: () => nodes.tell(DUE) };
}

/** Lets the rooms hear what other nodes tell, and look by themselves for what may have passed by unheard. */
export function connectNodes(nodes: Nodes, { delivery, mail }: Connected): void {
  const { worker } = delivery;
  nodes.on(DUE, () => void worker.takeDue());
  nodes.onDead((ids) => worker.reclaim(ids));
  nodes.onReturn(() => void worker.renewAll());
  nodes.onBeat(async () => {
    await worker.look();
    mail.wake();
  });
}
