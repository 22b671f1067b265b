import { createClient, type EscalationTarget } from "@tocsin/sdk";
import { addDevice } from "./app.ts";
import type { ConsoleFixture, ConsoleUser } from "./console-fixture.ts";
import { fillFeed } from "./fill-feed.ts";
import { parseLinkToken } from "./link-token.ts";

/** Wider than a phone's screen, without a position for a line break. */
const LONG_WORD =
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
/** The maximum length of the names of channels, devices, groups, keys and policies. */
const NAME_CHARACTERS_MAX = 64;
/** A name of the maximum length. */
const LONG_NAME = LONG_WORD.slice(0, NAME_CHARACTERS_MAX);
/** Channels of the maximum length. */
const CHANNELS = Array.from({ length: 8 }, (_, index) =>
  `${index}-kubernetes-production-eu-central-1-alertmanager-and-its-friends`.slice(
    0,
    NAME_CHARACTERS_MAX,
  ),
);
const DEVICE_COUNT = 30;
const POLICY_STEP_COUNT = 10;
const STEP_TARGET_COUNT = 10;
/** An hour, a minute and a second, so that the time of a step needs every unit. */
const STEP_INTERVAL_S = 3_661;
/** Urgent notifications of an earlier day stay in the feed and show their date. */
const MINUTES_SINCE_YESTERDAY = 24 * 60;
/** Members in addition to Ann. */
const OTHER_MEMBER_COUNT = 11;

/** Ids of items that have a page of their own. */
export interface FilledAccount {
  readonly notificationId: string;
  readonly recordId: string;
  readonly teamId: string;
}

/** Fills an account with many items with names that do not fit on a line. */
export async function fillAccount(
  fixture: ConsoleFixture,
  ann: ConsoleUser,
): Promise<FilledAccount> {
  const { client } = ann;
  const { id: accountId } = await client.me();
  const deviceIds: string[] = [];
  for (let index = 0; index < DEVICE_COUNT; index += 1) {
    const name = index === 0 ? LONG_NAME : `Phone ${index} of the night watch in the old house`;
    deviceIds.push((await addDevice({ push: fixture.push }, ann, name)).device.id);
  }
  await client.groups.create({ name: LONG_NAME, deviceIds });
  const team = await client.teams.create({ name: LONG_NAME });
  await addMembers(fixture, { ann, teamId: team.id });
  await addPolicies(ann, team.id);
  await client.keys.create({ kind: "account", label: LONG_NAME });
  await client.keys.create({ kind: "team", teamId: team.id, label: LONG_NAME });
  const contents = CHANNELS.flatMap((channel, index) => [
    { title: LONG_WORD.repeat(2), body: `${LONG_WORD} `.repeat(4), channel, minutesAgo: index },
    {
      title: "Again",
      body: LONG_WORD,
      channel,
      timeSensitive: true,
      link: createLongLink(index),
      minutesAgo: MINUTES_SINCE_YESTERDAY,
    },
  ]);
  const feedIds = await fillFeed(fixture.app.context, accountId, contents);
  return { notificationId: feedIds.at(-1) ?? "", recordId: feedIds.at(-2) ?? "", teamId: team.id };
}

/** Adds an escalation policy with many steps and targets, for the account and for a team. */
async function addPolicies({ client }: ConsoleUser, teamId: string): Promise<void> {
  const devices = await client.devices.list();
  const { members } = await client.teams.get(teamId);
  const deviceTargets = devices.items.map(({ id }) => ({ kind: "device", deviceId: id }) as const);
  const memberTargets = members.map(({ accountId }) => ({ kind: "mail", accountId }) as const);
  const createSteps = (targets: readonly EscalationTarget[]) =>
    Array.from({ length: POLICY_STEP_COUNT }, (_, index) => ({
      afterSeconds: index * STEP_INTERVAL_S,
      targets: targets.slice(0, STEP_TARGET_COUNT),
    }));
  const { escalationPolicies } = client;
  await escalationPolicies.create({ name: LONG_NAME, steps: createSteps(deviceTargets) });
  await escalationPolicies.create({ teamId, name: LONG_NAME, steps: createSteps(memberTargets) });
}

/** Adds members to a team with invitations, and leaves one more invitation pending. */
async function addMembers(
  fixture: ConsoleFixture,
  { ann, teamId }: { readonly ann: ConsoleUser; readonly teamId: string },
): Promise<void> {
  for (let index = 0; index < OTHER_MEMBER_COUNT; index += 1) {
    const email = `member-${index}@${"subsidiary".repeat(4)}.example.org`;
    const { link } = await ann.client.teams.invite(teamId, { email });
    const name =
      index === 0 ? LONG_NAME : `Dr. Maximiliana ${index} von und zu Hohenlohe-Langenburg`;
    const password = `password of ${index}`;
    const person = createClient({ baseUrl: fixture.url });
    await person.signUp({ email, name, password, token: parseLinkToken(link) });
  }
  const email = `${LONG_WORD.slice(0, 24).toLowerCase()}@${"subsidiary".repeat(4)}.example.org`;
  await ann.client.teams.invite(teamId, { email });
}

function createLongLink(index: number): string {
  return `https://example.org/${LONG_WORD}/${index}`;
}
