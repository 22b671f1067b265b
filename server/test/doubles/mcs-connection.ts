import type { TLSSocket } from "node:tls";
import { decodeFields, decodeVarint, encodeVarint, type Fields } from "./protobuf.ts";

/** The tags of packets in Google's Mobile Connection Server protocol (Chromium's `mcs_util`). */
export const PACKET_TAGS = {
  ping: 0,
  pong: 1,
  login: 2,
  loginResponse: 3,
  dataMessage: 8,
} as const;

const PROTOCOL_VERSION = Buffer.of(41);
const PACKET_MAX_BYTES = 65_536;

/**
 * One end of a connection: each side sends a version byte, and then packets of a tag, a length and a protobuf message.
 * The version of the other side is not checked.
 */
export class McsConnection {
  readonly #socket: TLSSocket;
  readonly #onPacket: (tag: number, fields: Fields) => void;
  #buffer = Buffer.alloc(0);
  #hasReadVersion = false;

  constructor(socket: TLSSocket, onPacket: (tag: number, fields: Fields) => void) {
    this.#socket = socket;
    this.#onPacket = onPacket;
    socket.write(PROTOCOL_VERSION);
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    // A killed browser resets its connections.
    socket.on("error", () => socket.destroy());
  }

  /** Sends a packet. Drops it if the connection has ended. */
  send(tag: number, ...encodedFields: readonly Buffer[]): void {
    const message = Buffer.concat(encodedFields);
    if (this.#socket.destroyed) return;
    this.#socket.write(Buffer.concat([Buffer.of(tag), encodeVarint(message.length), message]));
  }

  /** Ends the connection immediately. */
  destroy(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    if (!this.#hasReadVersion) {
      this.#buffer = this.#buffer.subarray(PROTOCOL_VERSION.length);
      this.#hasReadVersion = true;
    }
    for (let packet = this.#nextPacket(); packet !== null; packet = this.#nextPacket()) {
      this.#onPacket(packet.tag, packet.fields);
    }
  }

  /** Removes the first complete packet from the buffer; null if there is none yet. */
  #nextPacket(): { readonly tag: number; readonly fields: Fields } | null {
    const decodedLength = decodeVarint(this.#buffer, 1);
    if (decodedLength === null) return null;
    const end = decodedLength.end + Number(decodedLength.value);
    if (end > PACKET_MAX_BYTES) throw new Error("The packet exceeds the maximum size.");
    if (this.#buffer.length < end) return null;
    const tag = this.#buffer.readUInt8(0);
    const fields = decodeFields(this.#buffer.subarray(decodedLength.end, end));
    this.#buffer = this.#buffer.subarray(end);
    return { tag, fields };
  }
}
