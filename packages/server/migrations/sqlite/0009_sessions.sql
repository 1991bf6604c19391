-- Browsers that are signed in to the dashboard. The token itself is only in the browser's cookie.
create table sessions (
  token_hash text primary key,
  key_id text not null,
  key_hash text not null,
  created_at integer not null,
  expires_at integer not null
) strict, without rowid;

create index sessions_by_key on sessions (key_id, created_at);
create index sessions_by_expiry on sessions (expires_at);
