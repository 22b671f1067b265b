import { createClient } from "@tocsin/sdk";
import { addDevice } from "./app.ts";
import type { ConsoleStage, Visitor } from "./console-stage.ts";
import { fillFeed } from "./feed.ts";
import { linkToken } from "./link-token.ts";

/** Longer than any screen of a phone, with nothing to break it at. */
const WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
/** As long as a name may be. */
const NAME = WORD.slice(0, 64);
/** As long as a channel may be. */
const CHANNELS = Array.from({ length: 8 }, (_, index) =>
  `${index}-kubernetes-production-eu-central-1-alertmanager-and-its-friends`.slice(0, 64),
);
const DEVICES = 30;
/** Beside the person herself. */
const OTHER_MEMBERS = 11;

/** Ids with which detail pages are opened. */
export interface FullHouse {
  readonly notification: string;
  readonly record: string;
  readonly team: string;
}

/** Gives an account much of everything, under names that no line can hold. */
export async function fillHouse(stage: ConsoleStage, ann: Visitor): Promise<FullHouse> {
  const { client } = ann;
  const { id: accountId } = await client.me();
  const deviceIds: string[] = [];
  for (let index = 0; index < DEVICES; index += 1) {
    const name = index === 0 ? NAME : `Phone ${index} of the night watch in the old house`;
    deviceIds.push((await addDevice({ push: stage.push }, ann, name)).device.id);
  }
  await client.groups.create({ name: NAME, deviceIds });
  const team = await client.teams.create({ name: NAME });
  await gatherMembers(stage, { ann, teamId: team.id });
  await client.keys.create({ kind: "account", label: NAME });
  await client.keys.create({ kind: "team", teamId: team.id, label: NAME });
  const said = CHANNELS.flatMap((channel, index) => [
    { title: WORD.repeat(2), body: `${WORD} `.repeat(4), channel, minutesAgo: index },
    { title: "Again", body: WORD, channel, timeSensitive: true, link: linkOf(index) },
  ]);
  const filed = await fillFeed(stage.app.context, accountId, said);
  return { notification: filed.at(-1) ?? "", record: filed.at(-2) ?? "", team: team.id };
}

/** Makes people members of a team by its invitations; one more person never answers. */
async function gatherMembers(
  stage: ConsoleStage,
  { ann, teamId }: { readonly ann: Visitor; readonly teamId: string },
): Promise<void> {
  for (let index = 0; index < OTHER_MEMBERS; index += 1) {
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

function linkOf(index: number): string {
  return `https://example.org/${WORD}/${index}`;
}
