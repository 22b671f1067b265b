import { randomUUID } from "node:crypto";
import { ACCESS } from "../app-api/access-table.ts";
import type { Principal, Stage } from "../app-api/stage.ts";
import type { Operation, Schema } from "../app-api/operations.ts";

/** A request that an operation takes, or as nearly one as the document tells. */
export interface BaseRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the operation takes none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Returns a request to the operation by somebody who may, about things that were made for it. */
export async function baseRequest(stage: Stage, operation: Operation): Promise<BaseRequest> {
  const { method, path } = operation;
  const entry = ACCESS.find(({ operation: id }) => id === operation.id);
  if (entry === undefined) return withKey(stage, operation);
  const who: readonly Principal[] = ["owner", "other", "administrator"];
  const statuses = { ...entry.statuses, administrator: entry.administrator ?? 403 };
  const mayAsk = who.find((name) => statuses[name as keyof typeof statuses] < 300) ?? "owner";
  const ids = [...((await entry.ids?.(stage)) ?? [])];
  return {
    method,
    path: path.replaceAll(/\{[^}]+\}/g, () => ids.shift() ?? "missing"),
    headers: stage.credentials[mayAsk],
    body: entry.body === undefined ? sample(operation) : { ...(entry.body(stage) as object) },
  };
}

/** Sign-in and the APIs of keys: what a caller fills in there is texts. */
async function withKey(stage: Stage, operation: Operation): Promise<BaseRequest> {
  const { owner } = stage;
  const hasGroup = operation.path.includes("{groupId}");
  const { id = "" } = hasGroup
    ? await owner.client.groups.create({ name: "Desk", deviceIds: [] })
    : {};
  const path = operation.path.replace("{apiKey}", owner.key).replace("{groupId}", id);
  const team = operation.path.startsWith("/api/management/") ? (await stage.team()).key : "";
  const given = { ...sample(operation), ...(team === "" ? {} : { team, email: newAddress() }) };
  const body = operation.id === "signUp" ? { ...given, ...newPerson() } : given;
  return { method: operation.method, path, headers: { "x-api-key": owner.key }, body };
}

const newAddress = () => `${randomUUID()}@example.org`;
const newPerson = () => ({ email: newAddress(), password: "password of nobody", name: "Nobody" });

function sample({ body, method }: Operation): Readonly<Record<string, unknown>> | undefined {
  if (method === "GET") return undefined;
  // As a schema of an object makes it.
  return (body === null ? {} : sampleOf(body)) as Readonly<Record<string, unknown>>;
}

function sampleOf({
  type,
  properties,
  required = [],
  enum: values,
  const: value,
}: Schema): unknown {
  if (values !== undefined) return values[0];
  if (value !== undefined) return value;
  if (properties === undefined) return type === "array" ? [] : "a";
  const entries = required.map((name) => [name, sampleOf(properties[name] ?? {})]);
  return Object.fromEntries(entries);
}
