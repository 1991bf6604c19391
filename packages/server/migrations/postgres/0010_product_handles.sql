-- Products of files without the shop's IDs, such as Shopify's own export. Until their IDs are known, they have provisional
-- ones, from 2^52 upward.
create table product_handles (
  product_id uuid primary key references products (id) on delete cascade,
  account_id uuid not null references accounts (id),
  -- The product's name in the URLs of the shop.
  handle text not null,
  -- The name of the variant, as it was sent with the handle.
  variant text not null,
  unique (account_id, handle, variant)
);

create index concurrently products_provisional on products (account_id, sku) where variant_id >= 4503599627370496;
