import type { AddressedMessage, AppConnection } from "#apps/app-streams.ts";
import type { SignedInApp } from "#apps/app.ts";
import type { DialectDeps } from "../../dialect.ts";
import { StreamProof } from "../../stream-proof.ts";
import type { Wire } from "../../wire.ts";
import { toGotifyMessage } from "./app-message.ts";

/** The time for an app to fetch what it missed before its stream writes: a message that comes both ways would sound twice. */
const FETCH_MS = 2_000;

/** A stream of Gotify: a message in each frame, without any other event. */
export class GotifyStream implements AppConnection {
  readonly transport = "websocket";
  readonly subscriptions = [{ topic: "stream", channel: null }];
  readonly ping: (number: number) => void;
  readonly onPong: (payload: string) => void;
  readonly #wire: Wire;
  readonly #proof: StreamProof;

  constructor(wire: Wire) {
    this.#wire = wire;
    this.#proof = new StreamProof(wire);
    this.ping = this.#proof.ping;
    this.onPong = this.#proof.onPong;
  }

  /** Accepts the app, and opens its stream once the app has had time to fetch what it missed. */
  start(
    { appStreams, schedule, context }: Pick<DialectDeps, "appStreams" | "schedule" | "context">,
    app: SignedInApp,
  ): void {
    this.#wire.begin();
    const cancel = schedule(FETCH_MS, () => {
      appStreams.open(app, this, { kind: "owed" }).then(
        (opened) => this.#proof.attach(opened),
        (error: unknown) => {
          context.log.warn({ err: error }, "the stream of an app could not be opened");
          this.destroy();
        },
      );
    });
    this.#wire.onClose(cancel);
  }

  readonly matches = (): boolean => true;

  async write({ message }: AddressedMessage): Promise<void> {
    await this.#wire.write(JSON.stringify(toGotifyMessage(message)));
  }

  /** Gotify's apps know no event that removes a message. */
  readonly clear = (): void => {};

  readonly destroy = (): void => this.#wire.destroy();
}
