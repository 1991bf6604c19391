-- Tokens with which web pages upload. The token itself is only in the page.
create table upload_tokens (
  id text not null primary key,
  account_id text not null references accounts,
  hash text not null unique,
  -- The key that created it: see sessions.
  key_hash text not null,
  created_at integer not null,
  expires_at integer not null,
  max_bytes integer not null,
  max_files integer not null,
  -- A JSON array. Null: every type.
  media_types text,
  origin text,
  -- Which products to attach, as JSON.
  attach text,
  replaces text
) strict, without rowid;

create index upload_tokens_by_expiry on upload_tokens (expires_at);

-- The token that started the upload, which may be forgotten by now, and the bytes that count toward its limit. They stay
-- the same when the asset gets another version.
alter table assets add column token_id text;
alter table assets add column token_bytes integer;

create index assets_by_token on assets (token_id) where token_id is not null;
