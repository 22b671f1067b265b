import { Anchor, Button, Group, Text, Title } from "@mantine/core";
import { IconArrowLeft, IconBellOff, IconExternalLink, IconPhoto } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { FeedItem } from "@tocsin/sdk";
import { lazy, Suspense, useEffect, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { LazyIncidentCard } from "../../incidents/lazy-incident-card.ts";
import { loadPageTexts } from "../../language/language.ts";
import { ButtonLink } from "../../page/button-link.tsx";
import { Timestamp } from "../../page/timestamp.tsx";
import { EmptyState, QueryContent, SkeletonRows } from "../../page/query-states.tsx";
import { showError } from "../../page/toasts.ts";
import { PATHS } from "../../paths.ts";
import { LazyPromptCard } from "../../prompts/lazy-prompt-card.ts";
import { teamsQuery } from "../../teams/team-queries.ts";
import { ConfirmLink } from "../confirm-link.tsx";
import { NotificationBody } from "../body/notification-body.tsx";
import { Picture } from "../body/picture.tsx";
import { getFieldsShownAs } from "../content/field-display.ts";
import { classifyLink, parseWebUrl } from "../classify-link.ts";
import { DetailActions } from "./detail-actions.tsx";
import { NotificationBadges } from "./notification-badges.tsx";
import { markRead, createNotificationQuery } from "./feed-queries.ts";
import classes from "./notification-detail.module.css";
import { getDisplayTitle } from "./display-title.ts";

/** Loaded on demand, together with the texts of the delivery log. */
const FeedDeliveries = lazy(async () => {
  const [{ FeedDeliveries: component }] = await Promise.all([
    import("./feed-deliveries.tsx"),
    loadPageTexts(),
  ]);
  return { default: component };
});

/** A complete notification. Opening it marks it as read. */
export function NotificationDetail() {
  const { t } = useTranslation();
  const { id = "" } = useParams({ strict: false });
  const notification = useQuery(createNotificationQuery(useQueryClient(), id));
  const navigate = useNavigate();
  const currentId = notification.data?.id ?? id;
  useEffect(() => {
    if (currentId === id) return;
    const params = { id: currentId };
    void navigate({ to: PATHS.notification, params, search: true, replace: true });
  }, [navigate, currentId, id]);
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
      <QueryContent query={notification} rows={1}>
        {(item) =>
          item === null ? (
            <EmptyState icon={IconBellOff} title={t("feed.gone")} text={t("feed.goneText")} />
          ) : (
            <NotificationArticle key={item.id} item={item} />
          )
        }
      </QueryContent>
    </div>
  );
}

function NotificationArticle({ item }: { readonly item: FeedItem }) {
  const queryClient = useQueryClient();
  const articleRef = useRef<HTMLElement>(null);
  const titleId = `opened-${item.id}`;
  const { data: teams = [] } = useQuery(teamsQuery);
  const isManager = teams.some(({ id, role }) => id === item.teamId && role !== "member");
  // Runs before the paint, because the focused element no longer exists and a key press may follow immediately.
  useLayoutEffect(() => {
    articleRef.current?.focus({ preventScroll: true });
  }, []);
  // Marks the notification only once, so that the reader can mark it as unread again.
  const isMarked = useRef(false);
  useEffect(() => {
    if (isMarked.current) return;
    isMarked.current = true;
    if (item.readAt === null) markRead(queryClient, item).catch(showError);
  }, [queryClient, item]);
  return (
    <article
      ref={articleRef}
      tabIndex={-1}
      className={classes["article"]}
      aria-labelledby={titleId}
      data-opened-notification={item.id}
      data-read={item.readAt !== null || undefined}
    >
      {item.incidentId !== null && (
        <Suspense fallback={<SkeletonRows rows={1} />}>
          <LazyIncidentCard id={item.incidentId} />
        </Suspense>
      )}
      <Group gap={6}>
        <NotificationBadges item={item} />
        <Text size="sm" c="dimmed" component="span" className={classes["time"] ?? ""}>
          <Timestamp at={item.createdAt} />
        </Text>
      </Group>
      <Title order={2} size="h3" id={titleId} dir="auto" className={classes["title"] ?? ""}>
        {getDisplayTitle(item)}
      </Title>
      {item.body !== "" && <NotificationBody body={item.body} markdown={item.markdown} />}
      {item.promptId !== null && (
        <Suspense fallback={<SkeletonRows rows={1} />}>
          <LazyPromptCard id={item.promptId} />
        </Suspense>
      )}
      <LinksAndPictures item={item} />
      <Suspense fallback={<SkeletonRows rows={1} />}>
        <FeedDeliveries item={item} isManager={isManager} />
      </Suspense>
      <DetailActions item={item} hasRecord={item.teamId === null || isManager} />
    </article>
  );
}

/** A link that shows its target: the host of a web link, or otherwise the whole link. */
function NotificationLink({ link }: { readonly link: string }) {
  const { t } = useTranslation();
  const classifiedLink = classifyLink(link);
  if (classifiedLink.kind === "open" && classifiedLink.isWeb) {
    return (
      <Button
        component="a"
        href={classifiedLink.url.href}
        target="_blank"
        rel="noopener noreferrer"
        rightSection={<IconExternalLink size={16} aria-hidden />}
      >
        {t("feed.open", { host: classifiedLink.url.host })}
      </Button>
    );
  }
  if (classifiedLink.kind === "open") {
    return (
      <Anchor href={classifiedLink.url.href} className={classes["link"] ?? ""}>
        {link}
      </Anchor>
    );
  }
  return (
    <>
      <code className={classes["link"]}>{link}</code>
      {classifiedLink.kind === "ask" && <ConfirmLink url={classifiedLink.url} />}
    </>
  );
}

function LinksAndPictures({ item }: { readonly item: FeedItem }) {
  const { t } = useTranslation();
  const links = getFieldsShownAs("detail", "link").flatMap((field) => item[field] ?? []);
  const pictures = getFieldsShownAs("detail", "picture").flatMap((field) => {
    const url = parseWebUrl(item[field]);
    return url === null ? [] : [{ field, url }];
  });
  if (links.length === 0 && pictures.length === 0) return null;
  return (
    <>
      {pictures.map(({ field, url }) => (
        <Picture key={field} href={url.href} alt="" />
      ))}
      <Group gap="xs">
        {links.map((link) => (
          <NotificationLink key={link} link={link} />
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
