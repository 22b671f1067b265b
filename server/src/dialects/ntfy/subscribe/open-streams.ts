import { AppError } from "#errors.ts";
import type { Server } from "#http/server.ts";
import type { Wire } from "../../wire.ts";
import type { NtfyStream } from "./stream.ts";

/** The streams of a server, which end when it stops. */
export class OpenStreams {
  readonly #streams = new Set<NtfyStream>();
  #isStopping = false;

  constructor(server: Server) {
    server.addHook("preClose", async () => {
      this.#isStopping = true;
      for (const stream of this.#streams) stream.destroy();
    });
  }

  /** Adds a stream until its connection closes. Throws `unavailable` if the server is stopping. */
  add(stream: NtfyStream, wire: Wire): void {
    if (this.#isStopping) {
      throw new AppError("unavailable", "This server is stopping. Connect again shortly.");
    }
    this.#streams.add(stream);
    wire.onClose(() => this.#streams.delete(stream));
  }
}
