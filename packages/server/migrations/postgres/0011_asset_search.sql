-- `search` also looks at the products of an asset: the block of an asset changes with its attachments, which
-- is noted by who changes them, and with the texts of its products.

create function products_changed() returns trigger as $$
declare
  attached uuid[];
  current bigint;
begin
  select array_agg(asset_id) into attached
  from (select asset_id from asset_products where product_id = new.id limit 1001) l;
  if attached is null then
    return null;
  end if;
  if cardinality(attached) <= 1000 then
    perform note_all_listed(new.account_id, attached, 0);
  else
    -- That is faster than to find the blocks.
    update accounts set revision = revision + 1 where id = new.account_id
    returning revision into current;
    update asset_blocks set revision = current where account_id = new.account_id;
  end if;
  return null;
end
$$ language plpgsql;

-- Deferred, as the account is locked after all products.
create constraint trigger products_changed after update on products
  deferrable initially deferred for each row
  when (new.search_text is distinct from old.search_text) execute function products_changed();
