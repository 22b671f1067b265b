import { Drawer } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useAccount } from "../accounts/account-context.ts";
import classes from "./more-pages.module.css";
import { PageLink } from "./page-link.tsx";
import { getVisibleSections } from "./pages.ts";

/** A drawer with the pages that do not fit into a phone's bar. */
export function MorePages({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const pages = getVisibleSections(useAccount())
    .flatMap(({ pages: sectionPages }) => sectionPages)
    .filter(({ isInBar = false }) => !isInBar);
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="bottom"
      size="auto"
      radius="lg"
      title={t("shell.more")}
      closeButtonProps={{ "aria-label": t("shell.close") }}
    >
      <ul className={classes["pages"]}>
        {pages.map((page) => (
          <li key={page.path}>
            <PageLink page={page} onNavigate={onClose} />
          </li>
        ))}
      </ul>
    </Drawer>
  );
}
