create table keys (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  scope text not null check (scope in ('read', 'write', 'manage')),
  -- SHA-256 of the secret.
  hash text not null unique,
  hint text not null,
  created_at integer not null,
  last_used_at integer,
  revoked_at integer
) strict, without rowid;

create index keys_of_account on keys (account_id, id);

create table products (
  -- The name index and the links refer to products by this number.
  seq integer primary key,
  id text not null unique,
  account_id text not null references accounts (id),
  product_id integer not null,
  variant_id integer not null,
  name text not null,
  variant_name text not null,
  sku text not null,
  vendor text not null,
  -- A JSON array, as it is shown.
  tags text not null,
  -- Name, variant name and vendor as `foldText` makes them.
  search_name text not null,
  search_vendor text not null,
  unique (account_id, product_id, variant_id)
) strict;

create index products_newest on products (account_id, id);
create index products_by_variant on products (account_id, variant_id);
create index products_by_sku on products (account_id, sku);
create index products_by_vendor on products (account_id, search_vendor);

create table product_tags (
  product_seq integer not null references products (seq) on delete cascade,
  account_id text not null,
  -- Folded.
  tag text not null,
  primary key (account_id, tag, product_seq)
) strict, without rowid;

create index product_tags_of_product on product_tags (product_seq);

create virtual table product_names using fts5 (
  search_name,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = 'trigram case_sensitive 1'
);

create table asset_products (
  asset_seq integer not null references assets (seq) on delete cascade,
  product_seq integer not null references products (seq) on delete cascade,
  primary key (asset_seq, product_seq)
) strict, without rowid;

create index asset_products_of_product on asset_products (product_seq, asset_seq);

-- Whether the asset has any product: kept in the same transactions as the links.
alter table assets add column linked integer not null default 0 check (linked in (0, 1));

create index assets_by_name on assets (account_id, search_name, id) where status = 'ready';
create index assets_by_bytes on assets (account_id, bytes, id) where status = 'ready';
create index assets_by_kind on assets (account_id, kind, id) where status = 'ready';
create index assets_by_linked on assets (account_id, linked, id) where status = 'ready';

drop index assets_ended;
create index assets_ended on assets (changed_at)
  where status in ('cancelled', 'expired', 'deleted');
