-- The order of a product's files, as the merchant has set it, for all variants. Other files of the product follow in the
-- order of their uploads.
create table product_files (
  account_id text not null references accounts (id),
  -- The ID in the shop, as in `products`.
  product_id integer not null,
  asset_id text not null references assets (id) on delete cascade,
  position integer not null,
  primary key (account_id, product_id, asset_id)
) strict, without rowid;

create index product_files_of_asset on product_files (asset_id);

-- A product of a file gets the ID of the shop when it is known.
create trigger product_files_follow after update of product_id on products
when new.product_id <> old.product_id begin
  insert into product_files (account_id, product_id, asset_id, position)
  select account_id, new.product_id, asset_id, position from product_files
  where account_id = old.account_id and product_id = old.product_id
  on conflict do nothing;
  delete from product_files
  where account_id = old.account_id and product_id = old.product_id and not exists (
    select 1 from products where account_id = old.account_id and product_id = old.product_id);
end;
