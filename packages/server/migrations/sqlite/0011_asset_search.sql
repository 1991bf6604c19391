-- `search` also looks at the products of an asset: the block of an asset changes with its attachments and
-- with the texts of its products.

-- How often the attachments have changed.
alter table assets add column link_changes integer not null default 0;

-- If `linked` changes too, assets_changed has noted it.
create trigger assets_links_changed after update of link_changes on assets
when new.status = 'ready' and old.status = 'ready' and new.linked = old.linked
  and new.link_changes <> old.link_changes begin
  update accounts set revision = revision + 1 where id = new.account_id;
  update asset_blocks set revision = (select revision from accounts where id = new.account_id)
  where account_id = new.account_id and first_id = (
    select max(first_id) from asset_blocks
    where account_id = new.account_id and first_id <= new.id);
end;

-- A product with more than a thousand assets changes all blocks: that is faster than to find them.
create trigger products_changed after update on products
when new.search_text <> old.search_text
  and exists (select 1 from asset_products where product_seq = new.seq) begin
  update accounts set revision = revision + 1 where id = new.account_id;
  update asset_blocks set revision = (select revision from accounts where id = new.account_id)
  where account_id = new.account_id and (
    (select count(*) from (
       select 1 from asset_products where product_seq = new.seq limit 1001)) > 1000
    or first_id in (
      select (
        select max(b.first_id) from asset_blocks b
        where b.account_id = new.account_id and b.first_id <= a.id)
      from asset_products l join assets a on a.seq = l.asset_seq
      where l.product_seq = new.seq limit 1000));
end;
