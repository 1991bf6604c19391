-- Tokens with which web pages upload. The token itself is only in the page.
create table upload_tokens (
  id uuid not null primary key,
  account_id uuid not null references accounts,
  hash text not null unique,
  -- The key that created it: see sessions.
  key_hash text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  max_bytes bigint not null,
  max_files integer not null,
  -- Null: every type.
  media_types text[],
  origin text,
  -- Which products to attach.
  attach json,
  replaces uuid
);

create index upload_tokens_by_expiry on upload_tokens (expires_at);

-- The token that started the upload, which may be forgotten by now, and the bytes that count toward its limit. They stay
-- the same when the asset gets another version.
alter table assets add column token_id uuid;
alter table assets add column token_bytes bigint;

create index assets_by_token on assets (token_id) where token_id is not null;
