/** Frame types (RFC 9113 section 6). */
export const FRAME_TYPE = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flags (RFC 9113 sections 6.1, 6.2, 6.5 and 6.7). Most apply only to some frame types. */
export const FRAME_FLAG = {
  ack: 0x1,
  endStream: 0x1,
  endHeaders: 0x4,
  padded: 0x8,
  priority: 0x20,
} as const;

/** Identifiers of settings (RFC 9113 section 6.5.2). */
export const SETTING_ID = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** Error codes (RFC 9113 section 7). */
export const ERROR_CODE = {
  noError: 0,
  protocolError: 1,
  flowControlError: 3,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
} as const;

/** The payload sizes of the frame types whose payload has a fixed size (RFC 9113 section 6). */
export const PAYLOAD_BYTES = { priority: 5, rstStream: 4, ping: 8, windowUpdate: 4 } as const;
/** The smallest payload of a GOAWAY: the last stream and an error code (RFC 9113 section 6.8). */
export const GOAWAY_MIN_BYTES = 8;
/** Removes the reserved bit before a number of 31 bits, such as a stream id (RFC 9113 section 4.1). */
export const UINT31_MASK = 0x7fff_ffff;

/** The size of a frame header (RFC 9113 section 4.1). */
export const FRAME_HEADER_BYTES = 9;
/** The default limit of a frame's payload (RFC 9113 section 4.2). Our SETTINGS never change it. */
export const FRAME_PAYLOAD_MAX_BYTES = 16_384;
/** The largest window (RFC 9113 section 6.9.1). */
export const WINDOW_MAX_BYTES = 2 ** 31 - 1;
/** The initial send window (RFC 9113 section 6.9.2). */
export const INITIAL_WINDOW_BYTES = 65_535;
