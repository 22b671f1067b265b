import { backup } from "./backup.ts";
import type { Campaign } from "./campaign.ts";
import { climbOnNodes, climbOnSqlite } from "./climb.ts";
import { connectedApps } from "./connected-apps.ts";
import { fanOut } from "./fan-out.ts";
import { fillDiskOfPostgres, fillDiskOfSqlite } from "./fill-disk.ts";
import { freezeNode } from "./freeze-node.ts";
import { incidentLaws } from "./incident-laws.ts";
import { killNode } from "./kill-node.ts";
import { killSqlite } from "./kill-sqlite.ts";
import { move } from "./move.ts";
import { noisyNeighbour } from "./noisy-neighbour.ts";
import { outage } from "./outage.ts";
import { pinnedSnapshot } from "./pinned-snapshot.ts";
import { poison } from "./poison.ts";
import { rollingRestart } from "./rolling-restart.ts";
import { setClockOfDatabase, setClockOfSqlite, setClocksOfNodes } from "./set-clock.ts";
import { stallNetwork } from "./stall-network.ts";
import { stopDatabase } from "./stop-database.ts";
import { swallowPackets } from "./swallow-packets.ts";
import { latenessOnNodes, latenessOnSqlite } from "./timer-lateness.ts";
import { upgrade } from "./upgrade.ts";

/** Every campaign, in the order of the table in `docs/promises.md`. */
export const CAMPAIGNS: readonly Campaign[] = [
  killSqlite,
  killNode,
  freezeNode,
  stopDatabase,
  swallowPackets,
  stallNetwork,
  rollingRestart,
  upgrade,
  fillDiskOfSqlite,
  fillDiskOfPostgres,
  setClockOfSqlite,
  setClocksOfNodes,
  setClockOfDatabase,
  outage,
  poison,
  fanOut,
  noisyNeighbour,
  pinnedSnapshot,
  backup,
  move,
  climbOnNodes,
  climbOnSqlite,
  latenessOnNodes,
  latenessOnSqlite,
  incidentLaws,
  connectedApps,
];
