import { createClient } from "@tocsin/sdk";
import { addDevice } from "./app.ts";
import type { ConsoleStage, Visitor } from "./console-stage.ts";
import { fillFeed } from "./feed.ts";
import { linkToken } from "./link-token.ts";

/** Wider than a phone's screen, without a place to break. */
const WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
/** A name of the maximum length. */
const NAME = WORD.slice(0, 64);
/** Channels of the maximum length. */
const CHANNELS = Array.from({ length: 8 }, (_, index) =>
  `${index}-kubernetes-production-eu-central-1-alertmanager-and-its-friends`.slice(0, 64),
);
const DEVICE_COUNT = 30;
/** Members in addition to Ann. */
const OTHER_MEMBER_COUNT = 11;

/** Ids of items with detail pages. */
export interface FilledAccount {
  readonly notification: string;
  readonly record: string;
  readonly team: string;
}

/** Fills an account with many items, whose names do not fit on a line. */
export async function fillAccount(stage: ConsoleStage, ann: Visitor): Promise<FilledAccount> {
  const { client } = ann;
  const { id: accountId } = await client.me();
  const deviceIds: string[] = [];
  for (let index = 0; index < DEVICE_COUNT; index += 1) {
    const name = index === 0 ? NAME : `Phone ${index} of the night watch in the old house`;
    deviceIds.push((await addDevice({ push: stage.push }, ann, name)).device.id);
  }
  await client.groups.create({ name: NAME, deviceIds });
  const team = await client.teams.create({ name: NAME });
  await addMembers(stage, { ann, teamId: team.id });
  await client.keys.create({ kind: "account", label: NAME });
  await client.keys.create({ kind: "team", teamId: team.id, label: NAME });
  const contents = CHANNELS.flatMap((channel, index) => [
    { title: WORD.repeat(2), body: `${WORD} `.repeat(4), channel, minutesAgo: index },
    { title: "Again", body: WORD, channel, timeSensitive: true, link: longLink(index) },
  ]);
  const feedIds = await fillFeed(stage.app.context, accountId, contents);
  return { notification: feedIds.at(-1) ?? "", record: feedIds.at(-2) ?? "", team: team.id };
}

/** Adds members to a team with invitations, and leaves one more invitation pending. */
async function addMembers(
  stage: ConsoleStage,
  { ann, teamId }: { readonly ann: Visitor; readonly teamId: string },
): Promise<void> {
  for (let index = 0; index < OTHER_MEMBER_COUNT; index += 1) {
    const email = `member-${index}@${"subsidiary".repeat(4)}.example.org`;
    const { link } = await ann.client.teams.invite(teamId, { email });
    const name = index === 0 ? NAME : `Dr. Maximiliana ${index} von und zu Hohenlohe-Langenburg`;
    const password = `password of ${index}`;
    const person = createClient({ baseUrl: stage.url });
    await person.signUp({ email, name, password, token: linkToken(link) });
  }
  const email = `${WORD.slice(0, 24).toLowerCase()}@${"subsidiary".repeat(4)}.example.org`;
  await ann.client.teams.invite(teamId, { email });
}

function longLink(index: number): string {
  return `https://example.org/${WORD}/${index}`;
}
