-- Changes of all assets that match a filter run in the background, in batches.

-- The unfinished ones, and those that were finished not long ago, because they can be undone.
create table bulk_jobs (
  id text not null primary key,
  account_id text not null references accounts (id),
  -- The action and its values, as JSON.
  change text not null,
  -- Who requested it: the actor of the events.
  actor text not null,
  status text not null check (status in ('running', 'finished', 'cancelled', 'failed')),
  -- Why it failed.
  failure text,
  created_at integer not null,
  finished_at integer,
  -- Null while it is running. Then it is deleted.
  kept_until integer,
  -- The assets: all of them, those that were read, and those that were changed.
  total integer not null,
  done integer not null default 0,
  changed integer not null default 0,
  -- The batches: all of them, and those that were read.
  batches integer not null,
  next_batch integer not null default 0,
  -- The job that this one undoes, and the one that undoes this one. Without references: they are deleted independently.
  undoes text,
  undone_by text
) strict, without rowid;

create index bulk_jobs_of_account on bulk_jobs (account_id, id);
create index bulk_jobs_running on bulk_jobs (id) where status = 'running';
create index bulk_jobs_ended on bulk_jobs (kept_until) where kept_until is not null;

-- The assets that matched when the job was requested.
create table bulk_batches (
  job_id text not null references bulk_jobs (id),
  number integer not null,
  -- A JSON array: an ID, or an object with the ID and what changes for this asset only.
  assets text not null,
  -- The same for the assets that were changed: what undoes it. Null until the batch was read.
  undo text,
  primary key (job_id, number)
) strict;

-- Products that are being deleted: most of their assets are detached in batches before.
create table product_deletions (
  product_id text not null primary key references products (id) on delete cascade,
  account_id text not null references accounts (id),
  -- Who requested it: the actor of the event.
  actor text not null
) strict, without rowid;
