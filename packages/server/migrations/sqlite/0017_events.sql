-- The ID of the account's last event. The IDs are in the order of the commits, without gaps.
alter table accounts add column last_event integer not null default 0;
-- The highest ID that was forgotten. Events up to this one may be missing.
alter table accounts add column forgotten_event integer not null default 0;
-- Who asked to move all assets to the trash: the actor of the events. Null: see trash_until.
alter table accounts add column trash_until_by text;

-- Written in the transaction of each change.
create table events (
  -- The order in which the events of all accounts were recorded, and in which they are forgotten.
  seq integer primary key,
  account_id text not null,
  id integer not null,
  type text not null,
  created_at integer not null,
  actor text not null,
  -- The resource right after the change: see `read-event-data.ts`.
  data text not null
) strict;

create unique index events_of_account on events (account_id, id);
create index events_by_type on events (account_id, type, id);
