create table keys (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  name text not null,
  scope text not null check (scope in ('read', 'write', 'manage')),
  -- SHA-256 of the secret.
  hash text not null unique,
  hint text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);

create index keys_of_account on keys (account_id, id);

create table products (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  product_id bigint not null,
  variant_id bigint not null,
  name text not null,
  variant_name text not null,
  sku text not null,
  vendor text not null,
  tags text[] not null,
  -- Name, variant name, vendor and tags as `foldText` makes them.
  search_name text collate "C" not null,
  search_vendor text not null,
  search_tags text[] not null,
  unique (account_id, product_id, variant_id)
);

create index products_newest on products (account_id, id);
create index products_by_variant on products (account_id, variant_id);
create index products_by_sku on products (account_id, sku);
create index products_by_vendor on products (account_id, search_vendor);
create index products_by_tag on products using gin (search_tags);

create table asset_products (
  asset_id uuid not null references assets (id) on delete cascade,
  product_id uuid not null references products (id) on delete cascade,
  primary key (asset_id, product_id)
);

create index asset_products_of_product on asset_products (product_id, asset_id);

-- Whether the asset has any product: kept in the same transactions as the links.
alter table assets add column linked boolean not null default false;

create index assets_by_name on assets (account_id, search_name, id) where status = 'ready';
create index assets_by_bytes on assets (account_id, bytes, id) where status = 'ready';
create index assets_by_kind on assets (account_id, kind, id) where status = 'ready';
create index assets_by_linked on assets (account_id, linked, id) where status = 'ready';

drop index assets_ended;
create index assets_ended on assets (changed_at)
  where status in ('cancelled', 'expired', 'deleted');

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index products_names on products using gin (search_name gin_trgm_ops);
  end if;
end
$$;

-- Who asked how often in which minute; a crash may lose it.
create unlogged table request_counts (
  who text not null,
  window_start timestamptz not null,
  count integer not null,
  primary key (who, window_start)
);
