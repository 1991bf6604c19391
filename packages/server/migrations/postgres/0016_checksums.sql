-- One row for each object of a completed upload, by the key of the object: the row stays the same when another
-- version becomes the current one. An upload with a declared digest has its row from the start.
create table checksums (
  object_key uuid not null primary key,
  bytes bigint not null,
  chunk_size bigint not null,
  -- The digest that the bytes must have: declared by the client, or of the first read. Hexadecimal.
  sha256 text,
  -- When the bytes last had this digest.
  verified_at timestamptz(3),
  -- Whether the last read found other bytes, or no object.
  damaged boolean not null default false,
  -- Which job reads the object next. Null: the upload is not completed.
  queue text check (queue in ('new', 'backlog', 'scrub')),
  -- When it is read next. A job that reads it moves this time, so that others skip the object meanwhile.
  due_at timestamptz(3)
);

create index checksums_due on checksums (queue, due_at) where queue is not null;

-- Existing objects are read slowly in the background.
insert into checksums (object_key, bytes, chunk_size, queue, due_at)
select coalesce(object_key, id), bytes, chunk_size, 'backlog', now()
from assets where (status = 'ready' or trashed_at is not null) and kind = 'file'
union all
select object_key, bytes, chunk_size, 'backlog', now() from asset_versions;
