/** An audience costs as much as one request for each so many devices. */
export const DEVICES_PER_REQUEST = 100;
