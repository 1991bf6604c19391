-- News of a version to past buyers: at most one of each version.
create table notices (
  id uuid not null primary key,
  account_id uuid not null references accounts (id),
  -- Without a reference: the notice outlives the asset.
  asset_id uuid not null,
  version integer not null,
  state text not null check (state in ('sending', 'paused', 'cancelled', 'done')),
  -- Orders that were created later got this version from the start.
  orders_before timestamptz(3) not null,
  -- The last order that was looked at.
  last_order uuid,
  -- How many buyers there were when it was created or started again, and how many mails were queued.
  recipients integer not null,
  queued integer not null default 0,
  next_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (account_id, asset_id, version)
);

create index notices_due on notices (next_at) where state = 'sending';

-- Mail to buyers: what is sent, to whom, and what became of it. The content is made when a mail is sent.
create table mails (
  id uuid not null primary key,
  account_id uuid not null references accounts (id),
  kind text not null check (kind in ('files_ready', 'new_version', 'links')),
  -- What queued it: the creation of an order, a call, the page for lost links, or a notice.
  cause text not null check (cause in ('order', 'call', 'find', 'notice')),
  order_id uuid references orders (id) on delete cascade,
  notice_id uuid references notices (id) on delete cascade,
  -- The file that the news is about.
  asset_id uuid,
  recipient text not null,
  locale text,
  -- The same in all attempts.
  message_id text not null,
  state text not null check (state in ('queued', 'sending', 'sent', 'failed', 'cancelled')),
  attempts integer not null default 0,
  -- When it is sent next; while it is sent, when another instance may send it.
  due_at timestamptz(3) not null,
  -- An attempt that fails later than this is the last one.
  retry_until timestamptz(3) not null,
  reason text,
  created_at timestamptz(3) not null,
  sent_at timestamptz(3)
);

create index mails_due on mails (due_at, id) where state in ('queued', 'sending');
-- The queues, account by account and notice by notice, so that none of them waits for all mails of another one.
create index mails_of_account on mails (account_id, due_at, id) where state in ('queued', 'sending') and cause <> 'notice';
create index mails_pending on mails (notice_id, due_at, id) where state in ('queued', 'sending') and cause = 'notice';
create index mails_overdue on mails (retry_until) where state in ('queued', 'sending');
create index mails_running on mails (account_id) where state = 'sending';
create index mails_newest on mails (account_id, id);
create index mails_called on mails (account_id, created_at) where cause = 'call';
create index mails_of_order on mails (order_id, id) where order_id is not null;
-- A mail of a notice that is sent again has another cause.
create unique index mails_of_notice on mails (notice_id, recipient) where cause = 'notice';
create index mails_by_notice on mails (notice_id, id) where notice_id is not null;
create index mails_of_links on mails (recipient, created_at) where cause = 'find';
create index mails_by_age on mails (created_at);

-- The texts of an account, as JSON, by kind and language; and where answers go.
create table mail_settings (
  account_id uuid not null primary key references accounts (id),
  reply_to text,
  texts text not null,
  updated_at timestamptz(3) not null
);

-- Addresses, in lower case, that get no news of this account.
create table mail_unsubscribed (
  account_id uuid not null references accounts (id),
  address text collate "C" not null,
  created_at timestamptz(3) not null,
  primary key (account_id, address)
);

-- Requests from the page for lost links, of known and unknown addresses.
create table link_requests (
  address text collate "C" not null primary key,
  locale text,
  created_at timestamptz(3) not null,
  due_at timestamptz(3) not null
);

create index link_requests_due on link_requests (due_at);

create index orders_by_email on orders (lower(email), account_id, id) where email is not null;

-- The buyer has asked for more downloads of this file.
alter table orders add column more_requested_at timestamptz(3);
alter table orders add column more_asset_id uuid;
