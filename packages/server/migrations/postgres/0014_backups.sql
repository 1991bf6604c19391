-- Backups of the service, the newest ones: a page for operators shows their age.
create table backups (
  id uuid not null primary key,
  -- The folder, as the command was given it.
  location text not null,
  started_at timestamptz(3) not null,
  -- Null while it runs, and if it was interrupted.
  finished_at timestamptz(3),
  -- No object of a removed file is removed from the storage until this time, because the backup may still need it. Null: not held.
  hold_until timestamptz(3),
  generation text,
  -- The files that the backup has, and those that are damaged or missing in the service.
  files bigint not null default 0,
  bytes bigint not null default 0,
  damaged bigint not null default 0
);

create index backups_by_time on backups (started_at);
create index backups_holding on backups (hold_until) where hold_until is not null;
