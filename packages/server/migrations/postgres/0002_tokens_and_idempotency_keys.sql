-- Upload tokens can be listed and revoked.
-- The key that created it, by the ID and the name that it had. No name: the service requires no key, or the token was
-- created by version 0.2.0.
alter table upload_tokens add column created_by_id uuid;
alter table upload_tokens add column created_by_name text;
-- When it was revoked. Then `expires_at` is not later.
alter table upload_tokens add column revoked_at timestamptz(3);

-- The calls of the last day that have created a link, a key, an upload token or a webhook with an `Idempotency-Key`.
-- Those of uploads are in `assets`.
create table idempotency_keys (
  account_id uuid not null references accounts,
  -- The key of the client, after the ID of its API key.
  key text not null,
  -- Of the call and its body.
  digest text not null,
  -- What the call created. It may have been deleted since.
  resource_id uuid not null,
  -- The secret of the resource is derived from it, with the service's secret key. Deleting the row makes that impossible.
  nonce text not null,
  created_at timestamptz(3) not null,
  primary key (account_id, key)
);

create index idempotency_keys_by_age on idempotency_keys (created_at);
