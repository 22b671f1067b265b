import { ACCOUNT_TARGET_KINDS, LIMITS, TEAM_TARGET_KINDS } from "@tocsin/sdk";
import { invalidField } from "#errors.ts";
import type { EscalationStep, EscalationTarget, OwnedTarget, PolicyOwner } from "./policy.ts";

/** A part of the steps in a request, with its path in the body, such as `steps[1].targets[0]`. */
interface RequestPart {
  readonly value: unknown;
  readonly field: string;
}

/** The members of a JSON object. */
type Members = Readonly<Record<string, unknown>>;

/**
 * Returns the steps of a request for a policy of this kind of owner. Groups and devices have no `memberId` yet. The API
 * names a member by `accountId`, as its list of members does. Throws `invalid_field` with the path of the wrong part,
 * such as `steps[1].afterSeconds`.
 */
export function parseSteps(
  value: unknown,
  ownerKind: PolicyOwner["kind"],
): readonly EscalationStep[] {
  const parts = readList({ value, field: "steps" }, LIMITS.escalationSteps);
  const steps = parts.map((part) => parseStep(part, ownerKind));
  requireRisingTimes(steps);
  return steps;
}

function parseStep(part: RequestPart, ownerKind: PolicyOwner["kind"]): EscalationStep {
  const members = readObject(part, ["afterSeconds", "targets"]);
  const { field } = part;
  const afterSeconds = parseTime({
    value: members["afterSeconds"],
    field: `${field}.afterSeconds`,
  });
  const list = { value: members["targets"], field: `${field}.targets` };
  const targets = readList(list, LIMITS.escalationTargetsPerStep).map((target) =>
    ownerKind === "account" ? parseAccountTarget(target) : parseTeamTarget(target),
  );
  requireDistinct(targets, list.field);
  return { afterSeconds, targets };
}

function parseTime({ value, field }: RequestPart): number {
  const max = LIMITS.escalationSecondsMax;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max) {
    return value;
  }
  throw invalidField(field, `${field} must be a whole number of seconds from 0 to ${max}.`);
}

function requireRisingTimes(steps: readonly EscalationStep[]): void {
  for (const [index, { afterSeconds }] of steps.entries()) {
    const field = `steps[${index}].afterSeconds`;
    const previous = steps[index - 1];
    if (previous === undefined) {
      if (afterSeconds === 0) continue;
      throw invalidField(field, `${field} must be 0: the first step rings at once.`);
    }
    if (afterSeconds > previous.afterSeconds) continue;
    const message = `${field} must be more than the ${previous.afterSeconds} seconds of the step before it.`;
    throw invalidField(field, message);
  }
}

function requireDistinct(targets: readonly EscalationTarget[], field: string): void {
  const texts = targets.map((target) => JSON.stringify(target));
  const repeated = texts.findIndex((text, index) => texts.indexOf(text) < index);
  if (repeated < 0) return;
  const target = `${field}[${repeated}]`;
  throw invalidField(target, `${target} repeats an earlier target of its step. Leave it out.`);
}

function parseAccountTarget(part: RequestPart): EscalationTarget {
  const kind = parseKind(part, ACCOUNT_TARGET_KINDS, "an account's policy");
  switch (kind) {
    case "group":
    case "device":
      return parseOwnedTarget(part, kind);
    case "mail":
      readObject(part, ["kind"]);
      return { kind, memberId: null };
    case "me":
    case "callback":
      readObject(part, ["kind"]);
      return { kind };
  }
}

function parseTeamTarget(part: RequestPart): EscalationTarget {
  const kind = parseKind(part, TEAM_TARGET_KINDS, "a team's policy");
  switch (kind) {
    case "member":
    case "mail":
      return { kind, memberId: readId(part, "accountId") };
    case "group":
    case "device":
      return parseOwnedTarget(part, kind);
    case "team":
    case "callback":
      readObject(part, ["kind"]);
      return { kind };
  }
}

function parseOwnedTarget(part: RequestPart, kind: OwnedTarget["kind"]): OwnedTarget {
  return kind === "group"
    ? { kind, groupId: readId(part, "groupId") }
    : { kind, deviceId: readId(part, "deviceId") };
}

function parseKind<const Kind extends string>(
  part: RequestPart,
  kinds: readonly Kind[],
  policy: string,
): Kind {
  const { kind } = readMembers(part);
  const known = kinds.find((name) => name === kind);
  if (known !== undefined) return known;
  const field = `${part.field}.kind`;
  throw invalidField(field, `${field} must be one of ${kinds.join(", ")} in ${policy}.`);
}

/** Maximum length of the id of a target in a request. Real ids are shorter. */
export const TARGET_ID_LENGTH_MAX = 64;

/** Returns the id in the only member of a target besides its kind. */
function readId(part: RequestPart, name: string): string {
  const id = readObject(part, ["kind", name])[name];
  if (typeof id === "string" && id !== "" && id.length <= TARGET_ID_LENGTH_MAX) return id;
  const field = `${part.field}.${name}`;
  throw invalidField(field, `${field} must be an id.`);
}

/** Returns the items of a list of 1 to `max` items. */
function readList({ value, field }: RequestPart, max: number): readonly RequestPart[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > max) {
    throw invalidField(field, `${field} must be a list of 1 to ${max} items.`);
  }
  return value.map((item: unknown, index) => ({ value: item, field: `${field}[${index}]` }));
}

/** Returns the members of an object that has no members other than the named ones. */
function readObject(part: RequestPart, names: readonly string[]): Members {
  const members = readMembers(part);
  const unknownName = Object.keys(members).find((name) => !names.includes(name));
  if (unknownName === undefined) return members;
  const field = `${part.field}.${unknownName.slice(0, TARGET_ID_LENGTH_MAX)}`;
  throw invalidField(field, `This request has no field ${field}. Leave it out.`);
}

function readMembers({ value, field }: RequestPart): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Members; // Every JSON object has this type.
  }
  throw invalidField(field, `${field} must be an object.`);
}
