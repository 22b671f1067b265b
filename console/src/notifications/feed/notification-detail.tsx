import { Anchor, Button, Group, Text, Title } from "@mantine/core";
import { IconArrowLeft, IconBellOff, IconExternalLink, IconPhoto } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { FeedItem } from "@tocsin/sdk";
import { lazy, Suspense, useEffect, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { loadPageTexts } from "../../language/language.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { Moment } from "../../page/moment.tsx";
import { EmptyState, Loaded, Skeletons } from "../../page/states.tsx";
import { fail } from "../../page/toasts.ts";
import { PATHS } from "../../paths.ts";
import { teamsQuery } from "../../teams/team-queries.ts";
import { AskedLink } from "../asked-link.tsx";
import { Body } from "../body/body.tsx";
import { Picture } from "../body/picture.tsx";
import { fieldsAt } from "../content/places.ts";
import { offeredLink, webUrlOf } from "../link.ts";
import { DetailActions } from "./detail-actions.tsx";
import { FeedBadges } from "./feed-badges.tsx";
import { markRead, notificationQuery } from "./feed-queries.ts";
import classes from "./notification-detail.module.css";
import { titleOf } from "./title.ts";

/** The texts of the delivery log are not among those that every visit needs. */
const Arrivals = lazy(async () => {
  const [{ Arrivals: loaded }] = await Promise.all([import("./arrivals.tsx"), loadPageTexts()]);
  return { default: loaded };
});

/** One notification in full; showing it marks it as read. */
export function NotificationDetail() {
  const { t } = useTranslation();
  const { id = "" } = useParams({ strict: false });
  const notification = useQuery(notificationQuery(useQueryClient(), id));
  return (
    <div className={classes["detail"]}>
      <div className={classes["back"]}>
        <ButtonLink
          to={PATHS.feed}
          search
          resetScroll={false}
          variant="subtle"
          size="compact-sm"
          leftSection={<IconArrowLeft size={16} aria-hidden />}
        >
          {t("feed.back")}
        </ButtonLink>
      </div>
      <Loaded query={notification} rows={1}>
        {(item) =>
          item === null ? (
            <EmptyState icon={IconBellOff} title={t("feed.gone")} text={t("feed.goneText")} />
          ) : (
            <Shown key={item.id} item={item} />
          )
        }
      </Loaded>
    </div>
  );
}

function Shown({ item }: { readonly item: FeedItem }) {
  const queryClient = useQueryClient();
  const article = useRef<HTMLElement>(null);
  const titleId = `opened-${item.id}`;
  const { data: teams = [] } = useQuery(teamsQuery);
  const isManager = teams.some(({ id, role }) => id === item.teamId && role !== "member");
  // Before the paint: the focused element is gone, and the next key may come sooner.
  useLayoutEffect(() => {
    article.current?.focus({ preventScroll: true });
  }, []);
  // Only once: a person who marks it as unread means it.
  const isMarked = useRef(false);
  useEffect(() => {
    if (isMarked.current) return;
    isMarked.current = true;
    if (item.readAt === null) markRead(queryClient, item).catch(fail);
  }, [queryClient, item]);
  return (
    <article
      ref={article}
      tabIndex={-1}
      className={classes["article"]}
      aria-labelledby={titleId}
      data-opened-notification={item.id}
      data-read={item.readAt !== null || undefined}
    >
      <Group gap={6}>
        <FeedBadges item={item} />
        <Text size="sm" c="dimmed" component="span" className={classes["when"] ?? ""}>
          <Moment at={item.createdAt} />
        </Text>
      </Group>
      <Title order={2} size="h3" id={titleId} dir="auto" className={classes["title"] ?? ""}>
        {titleOf(item)}
      </Title>
      {item.body !== "" && <Body body={item.body} markdown={item.markdown} />}
      <Links item={item} />
      <Suspense fallback={<Skeletons rows={1} />}>
        <Arrivals item={item} isManager={isManager} />
      </Suspense>
      <DetailActions item={item} hasRecord={item.teamId === null || isManager} />
    </article>
  );
}

/** A link with its target on it or beside it. */
function LeadingOn({ link }: { readonly link: string }) {
  const { t } = useTranslation();
  const offered = offeredLink(link);
  if (offered.kind === "open" && offered.isWeb) {
    return (
      <Button
        component="a"
        href={offered.url.href}
        target="_blank"
        rel="noopener noreferrer"
        rightSection={<IconExternalLink size={16} aria-hidden />}
      >
        {t("feed.open", { host: offered.url.host })}
      </Button>
    );
  }
  if (offered.kind === "open") {
    return (
      <Anchor href={offered.url.href} className={classes["link"] ?? ""}>
        {link}
      </Anchor>
    );
  }
  return (
    <>
      <code className={classes["link"]}>{link}</code>
      {offered.kind === "ask" && <AskedLink url={offered.url} />}
    </>
  );
}

function Links({ item }: { readonly item: FeedItem }) {
  const { t } = useTranslation();
  const links = fieldsAt("detail", "link").flatMap((field) => item[field] ?? []);
  const pictures = fieldsAt("detail", "picture").flatMap((field) => {
    const url = webUrlOf(item[field]);
    return url === null ? [] : [{ field, url }];
  });
  if (links.length === 0 && pictures.length === 0) return null;
  return (
    <>
      {pictures.map(({ field, url }) => (
        <Picture key={field} address={url.href} text="" />
      ))}
      <Group gap="xs">
        {links.map((link) => (
          <LeadingOn key={link} link={link} />
        ))}
        {pictures.map(({ field, url }) => (
          <Button
            key={field}
            component="a"
            variant="default"
            href={url.href}
            target="_blank"
            rel="noopener noreferrer"
            leftSection={<IconPhoto size={16} aria-hidden />}
          >
            {t("feed.image", { host: url.host })}
          </Button>
        ))}
      </Group>
    </>
  );
}
