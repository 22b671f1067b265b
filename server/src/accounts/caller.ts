/** The part of a request that identifies the browser and its network. */
export interface Caller {
  readonly headers: {
    readonly cookie?: string | undefined;
    readonly "user-agent"?: string | undefined;
  };
  readonly ip: string;
}
