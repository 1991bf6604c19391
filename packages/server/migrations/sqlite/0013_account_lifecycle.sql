-- Keys that expire. Null: never.
alter table keys add column expires_at integer;

-- While it is set, the account can be read but not changed.
alter table accounts add column suspended_at integer;
-- When the removal of everything that the account has may begin. Until then, the account can be restored.
alter table accounts add column delete_at integer;
-- When the removal has begun. From then on, the account cannot be restored.
alter table accounts add column removal_started_at integer;
-- How many ready assets and unfinished uploads the plan allows. Null: any number.
alter table accounts add column plan_assets integer;

-- The searchable text of a product ends with it, also if all products of an account are removed.
create trigger products_unindex after delete on products begin
  delete from product_texts where rowid = old.seq;
end;
