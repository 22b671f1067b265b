import type { NotificationContent } from "@tocsin/sdk";

/** A content field of a notification. */
export type ContentField = keyof NotificationContent;

interface FieldDisplay {
  /** The part of a form with the field's control: always visible, or collapsed under "more". */
  readonly form: "main" | "more";
  /** How the preview of a notification shows the field. A note only mentions it. */
  readonly preview: "text" | "note" | null;
  /** How the page of a notification in the feed shows the field. */
  readonly detail: "text" | "badge" | "picture" | "link" | null;
  /**
   * How a record, the page of a sent notification, shows the field. A fact is an entry in the record's list of details.
   */
  readonly record: "text" | "fact" | null;
}

/**
 * How the console shows each field of a notification, in the order of its forms. `text` and `badge` are only
 * documentation: the pages show these fields themselves.
 */
const FIELD_DISPLAY = {
  title: { form: "main", preview: "text", detail: "text", record: "text" },
  body: { form: "main", preview: "text", detail: "text", record: "text" },
  channel: { form: "more", preview: null, detail: "badge", record: "fact" },
  sound: { form: "more", preview: null, detail: null, record: "fact" },
  link: { form: "more", preview: "text", detail: "link", record: "fact" },
  image: { form: "more", preview: "note", detail: "picture", record: null },
  icon: { form: "more", preview: "note", detail: "picture", record: null },
  timeSensitive: { form: "more", preview: "text", detail: "badge", record: "fact" },
  priority: { form: "more", preview: "text", detail: "badge", record: "fact" },
  markdown: { form: "more", preview: "text", detail: "text", record: "text" },
} as const satisfies Readonly<Record<ContentField, FieldDisplay>>;

type FieldName = keyof typeof FIELD_DISPLAY;

/** A field that a view shows in one style, or that the form shows in one part. */
export type FieldShownAs<View extends keyof FieldDisplay, Style> = {
  [Name in FieldName]: (typeof FIELD_DISPLAY)[Name][View] extends Style ? Name : never;
}[FieldName];

/** Returns the fields that a view shows in one style, or that the form shows in one part, in the order of the forms. */
export function getFieldsShownAs<View extends keyof FieldDisplay, Style extends FieldDisplay[View]>(
  view: View,
  style: Style,
): readonly FieldShownAs<View, Style>[] {
  // `Object.keys` returns exactly the keys of FIELD_DISPLAY.
  const names = Object.keys(FIELD_DISPLAY) as readonly FieldName[];
  return names.filter(
    (name): name is FieldShownAs<View, Style> => FIELD_DISPLAY[name][view] === style,
  );
}
