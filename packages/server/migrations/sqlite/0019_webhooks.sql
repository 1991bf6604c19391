-- Endpoints of an account that its events are sent to.
create table webhooks (
  id text not null primary key,
  account_id text not null references accounts (id),
  url text not null,
  description text not null,
  -- A JSON array of the types of events that are sent. Null: all types.
  types text,
  -- In plain text, because every request is signed with it.
  secret text not null,
  -- A JSON array of replaced secrets, each with the time in milliseconds until which it signs requests.
  previous_secrets text not null,
  -- The account's last event that was turned into a delivery, or that is not sent to this webhook.
  last_event integer not null,
  created_at integer not null,
  updated_at integer not null,
  disabled_at integer,
  disabled_reason text check (disabled_reason in ('manual', 'failing', 'gone')),
  -- The first failed attempt since the last successful one.
  failing_since integer,
  check ((disabled_at is null) = (disabled_reason is null))
) strict, without rowid;

create index webhooks_of_account on webhooks (account_id, id);

-- One row for each event and webhook, and for each ping: the queue of the requests, and their log.
create table deliveries (
  id text not null primary key,
  webhook_id text not null references webhooks (id) on delete cascade,
  -- Null for a ping.
  event_id integer,
  type text not null,
  body text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  created_at integer not null,
  -- When the next attempt is due. During an attempt, the end of its claim: then another instance repeats it.
  due_at integer,
  -- The end of the claim of the running attempt.
  claimed_until integer,
  -- Counts the claims, so that an attempt whose claim has ended does not change the next one.
  claims integer not null default 0,
  failures integer not null default 0,
  -- A JSON array of the last attempts.
  attempts text not null default '[]',
  check ((status = 'pending') = (due_at is not null))
) strict;

create unique index deliveries_of_event on deliveries (webhook_id, event_id) where event_id is not null;
create index deliveries_of_webhook on deliveries (webhook_id, id);
create index deliveries_due on deliveries (webhook_id, due_at) where status = 'pending';
create index deliveries_claimed on deliveries (webhook_id) where claimed_until is not null;
create index deliveries_by_age on deliveries (created_at);
