/** RFC 9113 section 6. */
export const FRAME = {
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

/** RFC 9113 sections 6.1, 6.2, 6.5 and 6.7; most flags apply to some frame types only. */
export const FLAG = {
  ack: 0x1,
  endStream: 0x1,
  endHeaders: 0x4,
  padded: 0x8,
  priority: 0x20,
} as const;

/** RFC 9113 section 6.5.2. */
export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** RFC 9113 section 7. */
export const CODE = {
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

/** RFC 9113 section 4.1. */
export const FRAME_HEAD_BYTES = 9;
/** The largest payload of a frame until SETTINGS change it, which ours never do (RFC 9113 section 4.2). */
export const FRAME_MAX_BYTES = 16_384;
/** RFC 9113 section 6.9.1. */
export const WINDOW_MAX = 2 ** 31 - 1;
/** The send window before SETTINGS and WINDOW_UPDATE change it (RFC 9113 section 6.9.2). */
export const WINDOW_DEFAULT = 65_535;
