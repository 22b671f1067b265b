/** An audience counts as one request per this many devices. */
export const DEVICES_PER_REQUEST = 100;
