-- Orders: what a buyer may download. What an order covers is read when somebody looks: no row depends on the number of
-- files, and no file on the number of past buyers.
create table orders (
  id uuid not null primary key,
  account_id uuid not null references accounts (id),
  -- Who made it: `api` or `manual`.
  source text not null,
  -- The shop's own ID of the order.
  reference text collate "C",
  order_number text,
  -- As lists sort it: see `sortName`. Empty for none.
  sort_number text collate "C" not null,
  email text,
  name text,
  locale text,
  label text,
  -- The number, the reference, the e-mail address, the name and the label as `foldText` returns them.
  search_text text collate "C" not null,
  -- How many downloads of its files have counted: the sum of `used` of its files.
  downloads integer not null default 0,
  -- Of each file, times the quantity of the line. Null: see branding.
  max_downloads integer,
  expires_at timestamptz(3),
  held boolean not null default false,
  -- Whether its files may be opened in the page, without counting.
  inline boolean not null default false,
  revoked_at timestamptz(3),
  email_sent_at timestamptz(3),
  ordered_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- The token of the download page: encrypted, with the key that `identity.secret_key_id` names, and its SHA-256.
  token text not null,
  token_hash text not null unique
);

create index orders_newest on orders (account_id, id);
create index orders_by_time on orders (account_id, ordered_at, id);
create index orders_in_number_order on orders (account_id, sort_number, id);
create index orders_by_number on orders (account_id, order_number, id) where order_number is not null;
create unique index orders_by_reference on orders (account_id, reference, source) where reference is not null;

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index orders_texts on orders using gin (search_text gin_trgm_ops);
  end if;
end
$$;

-- Few orders have these states. A list of them reads no others.
create index orders_held on orders (account_id, id) where held;
create index orders_revoked on orders (account_id, id) where revoked_at is not null;
create index orders_expiring on orders (account_id, id) where expires_at is not null;
create index orders_by_hand on orders (account_id, id) where source = 'manual';

create table order_lines (
  order_id uuid not null references orders (id) on delete cascade,
  line integer not null,
  account_id uuid not null,
  -- The shop's own IDs. No variant: every variant of the product.
  product_id bigint not null,
  variant_id bigint,
  quantity integer not null check (quantity > 0),
  refunded integer not null default 0 check (refunded between 0 and quantity),
  primary key (order_id, line)
);

create index order_lines_by_product on order_lines (account_id, product_id);

-- Files of one order only.
create table order_assets (
  order_id uuid not null references orders (id) on delete cascade,
  asset_id uuid not null references assets (id) on delete cascade,
  primary key (order_id, asset_id)
);

create index order_assets_by_asset on order_assets (asset_id);

-- The counter of each file of an order that was downloaded, and its last download.
create table order_files (
  order_id uuid not null references orders (id) on delete cascade,
  -- Without a reference: the counter outlives the asset.
  asset_id uuid not null,
  -- How many downloads count toward the limit, and the limit when the last one was opened. Null: no limit.
  used integer not null,
  allowed bigint,
  download_id uuid not null unique,
  open_until timestamptz(3) not null,
  -- How often the bytes of the last download were requested from the first one on.
  starts integer not null default 0,
  -- When a download was first refused since the last one was opened.
  refused_at timestamptz(3),
  primary key (order_id, asset_id)
);

-- The log of the downloads.
create table downloads (
  id uuid not null primary key,
  order_id uuid not null references orders (id) on delete cascade,
  asset_id uuid not null,
  version integer not null,
  filename text not null,
  bytes bigint not null,
  -- A keyed hash of the buyer's IP address. Null if a backend opened the download.
  address_hash text,
  opened_at timestamptz(3) not null,
  starts integer not null default 0,
  -- How many downloads it counts as.
  cost integer not null default 1
);

create index downloads_of_order on downloads (order_id, id);
create index downloads_of_asset on downloads (asset_id, id);
create index downloads_by_age on downloads (opened_at);

-- The downloads of each day: of the account, of each asset, and of each product.
create table download_counts (
  account_id uuid not null references accounts (id),
  kind text not null check (kind in ('day', 'asset', 'product')),
  -- Days since 1970, in UTC.
  day integer not null,
  -- The ID of the asset, or the shop's ID of the product; empty for a day.
  subject text not null,
  downloads bigint not null,
  primary key (account_id, kind, day, subject)
);

create index download_counts_of_subject on download_counts (account_id, kind, subject, day);
create index download_counts_by_age on download_counts (day);

-- How the download pages of an account look.
create table branding (
  account_id uuid not null primary key references accounts (id),
  name text,
  logo uuid,
  color text,
  help_text text,
  help_email text,
  -- For orders without a limit of their own. Null: no limit.
  max_downloads integer,
  updated_at timestamptz(3) not null
);

-- Whether buyers may also open the file in the page of their order.
alter table assets add column inline boolean not null default false;

-- The number of the account's orders.
alter table accounts add column order_count bigint not null default 0;
