import type { TLSSocket } from "node:tls";
import { decodeFields, decodeVarint, encodeVarint } from "./protobuf.ts";
import type { Fields } from "./protobuf.ts";

/** The kinds of packet in Google's mobile connection protocol, as Chromium's `mcs_util` numbers them. */
export const MCS = { ping: 0, pong: 1, login: 2, loginAnswer: 3, message: 8 } as const;

const VERSION = Buffer.of(41);
const MAX_PACKET_BYTES = 65_536;

/** Either end of a connection: a version byte each way, then packets of a tag, a length and a protobuf message. */
export class McsConnection {
  readonly #socket: TLSSocket;
  readonly #onPacket: (tag: number, fields: Fields) => void;
  #unread = Buffer.alloc(0);
  #isGreeted = false;

  constructor(socket: TLSSocket, onPacket: (tag: number, fields: Fields) => void) {
    this.#socket = socket;
    this.#onPacket = onPacket;
    socket.write(VERSION);
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    // A browser that is killed resets its connections.
    socket.on("error", () => socket.destroy());
  }

  /** Sends one packet; a connection that has ended takes it and loses it. */
  send(tag: number, ...fields: readonly Buffer[]): void {
    const message = Buffer.concat(fields);
    if (this.#socket.destroyed) return;
    this.#socket.write(Buffer.concat([Buffer.of(tag), encodeVarint(message.length), message]));
  }

  /** Ends the connection at once. */
  destroy(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    if (!this.#isGreeted) {
      this.#unread = this.#unread.subarray(VERSION.length);
      this.#isGreeted = true;
    }
    for (let packet = this.#take(); packet !== null; packet = this.#take()) {
      this.#onPacket(packet.tag, packet.fields);
    }
  }

  /** Takes the first packet off what was read, or null where it is not whole yet. */
  #take(): { readonly tag: number; readonly fields: Fields } | null {
    const length = decodeVarint(this.#unread, 1);
    if (length === null) return null;
    const end = length.end + Number(length.value);
    if (end > MAX_PACKET_BYTES) throw new Error("The packet is larger than any may be.");
    if (this.#unread.length < end) return null;
    const tag = this.#unread.readUInt8(0);
    const fields = decodeFields(this.#unread.subarray(length.end, end));
    this.#unread = this.#unread.subarray(end);
    return { tag, fields };
  }
}
