import type { Account } from "@tocsin/sdk";

/** What a view may ask of the page around it. */
export interface Frame {
  readonly account: Account | null;
  /** Aborts when the view is left. */
  readonly signal: AbortSignal;
  /** Shows another path of the console, in place where the view can. */
  go(path: string): void;
  /** Asks the server anew who is signed in, then shows the same path, or `path`. */
  reload(path?: string): Promise<void>;
}

/** What a view puts on the page. */
export interface Shown {
  readonly title: string;
  readonly content: Node;
  /** Shows another notification, null for none, without losing what else the view shows. */
  readonly open?: (notificationId: string | null) => void;
}
