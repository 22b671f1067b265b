import { DatabaseSync } from "node:sqlite";

const FIRST_CREATED_AT = Date.UTC(2026, 0, 1);
const DEVICES_EACH = 3;
/** Longest wait while the server writes. */
const BUSY_TIMEOUT_MS = 10_000;

/** Adds devices of other accounts, three each, directly to a server's database file; the API would take hours. */
export function addOtherAccountsDevices(path: string, devices: number): void {
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  const people = Math.ceil(devices / DEVICES_EACH);
  file.exec(`
    pragma synchronous = off;
    begin;
    insert into account (id, name, email, email_verified, is_admin, created_at, updated_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${people})
      select ${buildIdSql("i")}, 'Person ' || i, 'person-' || i || '@example.org', 1, 0,
        '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
      from n;
    insert into device (id, account_id, name, platform, provider, address, address_hash, created_at, registered_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${DEVICES_EACH})
      select ${buildIdSql("random()")}, account.id, 'iPhone ' || i, 'ios', 'apns',
        '{"provider":"apns","token":"' || hex(randomblob(32)) || '","environment":"production","isConfirmed":true}',
        hex(randomblob(32)), ${FIRST_CREATED_AT}, ${FIRST_CREATED_AT}
      from account, n where account.email like 'person-%';
    commit;
    pragma wal_checkpoint(truncate)`);
  file.close();
}

/** Adds iPhones to the account with an email address, directly to a server's database file. */
export function addDevicesToAccount(
  path: string,
  { email, devices }: { readonly email: string; readonly devices: number },
): void {
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  file.exec(`
    pragma synchronous = off;
    begin;
    insert into device (id, account_id, name, platform, provider, address, address_hash, created_at, registered_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${devices})
      select ${buildIdSql("i")}, account.id, 'iPhone ' || i, 'ios', 'apns',
        '{"provider":"apns","token":"' || lower(hex(randomblob(32))) || '","environment":"production","isConfirmed":true}',
        hex(randomblob(32)), ${FIRST_CREATED_AT}, ${FIRST_CREATED_AT}
      from account, n where account.email = '${email}';
    commit;
    pragma wal_checkpoint(truncate)`);
  file.close();
}

/**
 * Returns the SQL of an id (UUID version 7) whose time is later than the first by `afterMs`, an SQL expression. The
 * remainder of a division keeps the time within twelve hexadecimal digits.
 */
function buildIdSql(afterMs: string): string {
  const hex = `printf('%012x', ${FIRST_CREATED_AT} + (${afterMs}) % 1000000000)`;
  return `substr(${hex}, 1, 8) || '-' || substr(${hex}, 9) || '-7000-8000-' || lower(hex(randomblob(6)))`;
}
