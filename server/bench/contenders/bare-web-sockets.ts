import type { Round } from "../case.ts";
import { measureBroadcasts } from "../support/broadcasts.ts";
import { WebSocketApps } from "../support/web-socket-apps.ts";

/** The process of `support/bare-web-sockets.ts`, and the number of apps. */
export interface BareWebSocketsInput {
  readonly bare: { readonly url: string; readonly pid: number };
  readonly appCount: number;
}

/** Sends messages to all apps over bare WebSockets. */
export async function measureRound({ bare, appCount }: BareWebSocketsInput): Promise<Round> {
  const { url, pid } = bare;
  const requests = Array.from({ length: appCount }, () => ({ path: "/", headers: {} }));
  const apps = await WebSocketApps.open(url, requests);
  const figures = await measureBroadcasts({
    pid,
    apps,
    appCount,
    async broadcast() {
      const response = await fetch(url, { method: "POST" });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      await response.text();
    },
  });
  apps.close();
  return figures;
}
