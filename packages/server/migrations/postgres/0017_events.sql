-- The ID of the account's last event. Whoever records an event increments it and holds the row until the commit:
-- the IDs are in the order of the commits, without gaps.
alter table accounts add column last_event bigint not null default 0;
-- The highest ID that was forgotten. Events up to this one may be missing.
alter table accounts add column forgotten_event bigint not null default 0;
-- Who asked to move all assets to the trash: the actor of the events. Null: see trash_until.
alter table accounts add column trash_until_by text;

-- Written in the transaction of each change, which also locks the account: a reference is not necessary.
create table events (
  account_id uuid not null,
  id bigint not null,
  type text collate "C" not null,
  created_at timestamptz(3) not null,
  actor json not null,
  -- The resource right after the change: see `read-event-data.ts`.
  data json not null,
  primary key (account_id, id)
);

create index events_by_type on events (account_id, type, id);

-- When the product last changed. Null: before this column existed.
alter table products add column changed_at timestamptz;
alter table products alter column changed_at set default now();
