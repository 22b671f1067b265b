/** The part of a request by which sign-in knows the browser and where it is. */
export interface Caller {
  readonly headers: {
    readonly cookie?: string | undefined;
    readonly "user-agent"?: string | undefined;
  };
  readonly ip: string;
}
