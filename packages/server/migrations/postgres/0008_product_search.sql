-- The SKU as `foldText` makes it. Null until `fillSearchSkus` has folded it: SQL folds only ASCII like that.
alter table products add column search_sku text collate "C";
update products set search_sku = lower(sku collate "C") where sku ~ '^[ -~]*$';
create index products_without_search_sku on products (id) where search_sku is null;

-- What `search` looks at. No word has a space, so that no word is found across two of the texts.
alter table products add column search_text text collate "C" generated always as (
  search_name || ' ' || coalesce(search_sku, lower(sku collate "C")) || ' ' || search_vendor
) stored;

do $$
begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index products_texts on products using gin (search_text gin_trgm_ops);
  end if;
end
$$;
