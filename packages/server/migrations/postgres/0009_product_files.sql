-- The order of a product's files, as the merchant has set it, for all variants. Other files of the product follow in the
-- order of their uploads.
create table product_files (
  account_id uuid not null references accounts (id),
  -- The ID in the shop, as in `products`.
  product_id bigint not null,
  asset_id uuid not null references assets (id) on delete cascade,
  position integer not null,
  primary key (account_id, product_id, asset_id)
);

create index product_files_of_asset on product_files (asset_id);

-- A product of a file gets the ID of the shop when it is known.
create function follow_product_files() returns trigger as $$
begin
  insert into product_files (account_id, product_id, asset_id, position)
  select account_id, new.product_id, asset_id, position from product_files
  where account_id = old.account_id and product_id = old.product_id
  -- The references lock the assets in this order, as all transactions do.
  order by asset_id
  on conflict do nothing;
  delete from product_files
  where account_id = old.account_id and product_id = old.product_id and not exists (
    select from products where account_id = old.account_id and product_id = old.product_id);
  return null;
end
$$ language plpgsql;

create trigger product_files_follow after update of product_id on products for each row
  when (new.product_id <> old.product_id) execute function follow_product_files();
