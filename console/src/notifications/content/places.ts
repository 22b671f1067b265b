import type { NotificationContent } from "@tocsin/sdk";

/** A field of a notification. */
export type Field = keyof NotificationContent;

interface Places {
  /** The part of a form that has its control: what everyone fills in, or what stays folded. */
  readonly form: "words" | "manner";
  /** How the preview of a notification shows it; a note says that it is there. */
  readonly preview: "text" | "note" | null;
  /** How the page of a notification in the feed shows it. */
  readonly detail: "text" | "badge" | "picture" | "link" | null;
  /** How the page of a sent notification shows it. */
  readonly record: "text" | "fact" | null;
}

/** Where the console shows each field of a notification, in the order of its forms. */
const PLACES = {
  title: { form: "words", preview: "text", detail: "text", record: "text" },
  body: { form: "words", preview: "text", detail: "text", record: "text" },
  channel: { form: "manner", preview: null, detail: "badge", record: "fact" },
  sound: { form: "manner", preview: null, detail: null, record: "fact" },
  link: { form: "manner", preview: null, detail: "link", record: "fact" },
  image: { form: "manner", preview: "note", detail: "picture", record: null },
  icon: { form: "manner", preview: "note", detail: "picture", record: null },
  timeSensitive: { form: "manner", preview: "text", detail: "badge", record: "fact" },
  markdown: { form: "manner", preview: "text", detail: "text", record: null },
} as const satisfies Readonly<Record<Field, Places>>;

type Names = keyof typeof PLACES;

/** The fields that a page shows in one way. */
export type FieldAt<Page extends keyof Places, Place> = {
  [Name in Names]: (typeof PLACES)[Name][Page] extends Place ? Name : never;
}[Names];

/** Returns the fields that a page shows in one way, in the order of the forms. */
export function fieldsAt<Page extends keyof Places, Place extends Places[Page]>(
  page: Page,
  place: Place,
): readonly FieldAt<Page, Place>[] {
  const names = Object.keys(PLACES) as readonly Names[]; // The keys of PLACES.
  return names.filter((name): name is FieldAt<Page, Place> => PLACES[name][page] === place);
}
