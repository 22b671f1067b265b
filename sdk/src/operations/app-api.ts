import type { ResponseBodies } from "../response-bodies.ts";
import { fetchJson, execute } from "../http.ts";
import type { Call, CallOptions } from "../request.ts";
import type { Server } from "../server.ts";

/** One request to the app API. */
export interface AppCall<Operation extends string> extends CallOptions {
  readonly operation: Operation;
  /** The segments below `/api/app/v1`. */
  readonly path: readonly string[];
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The app API of one server; the responses of `postWithoutResponse` and `delete` have no body. */
export interface AppApi {
  get<Name extends keyof ResponseBodies>(call: AppCall<Name>): Promise<ResponseBodies[Name]>;
  post<Name extends keyof ResponseBodies>(call: AppCall<Name>): Promise<ResponseBodies[Name]>;
  patch<Name extends keyof ResponseBodies>(call: AppCall<Name>): Promise<ResponseBodies[Name]>;
  postWithoutResponse(call: AppCall<string>): Promise<void>;
  delete(call: AppCall<string>): Promise<void>;
}

/** Returns the app API of a server. */
export function createAppApi(server: Server): AppApi {
  return {
    get: (call) => fetchBody(server, "GET", call),
    // A body, even an empty one, prevents another site's form from sending the request.
    post: (call) => fetchBody(server, "POST", { body: {}, ...call }),
    patch: (call) => fetchBody(server, "PATCH", call),
    postWithoutResponse: (call) => execute(server, toCall("POST", { body: {}, ...call })),
    delete: (call) => execute(server, toCall("DELETE", call)),
  };
}

async function fetchBody<Name extends keyof ResponseBodies>(
  server: Server,
  method: Call["method"],
  call: AppCall<Name>,
): Promise<ResponseBodies[Name]> {
  const { body } = await fetchJson(server, toCall(method, call));
  return body;
}

function toCall<Name extends string>(method: Call["method"], call: AppCall<Name>): Call<Name> {
  return { ...call, method, path: ["api", "app", "v1", ...call.path], auth: "account" };
}
