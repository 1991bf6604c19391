-- The SKU as `foldText` makes it. Null until `fillSearchSkus` has folded it: SQL folds only ASCII like that.
alter table products add column search_sku text;
update products set search_sku = lower(sku) where sku not glob '*[^ -~]*';
create index products_without_search_sku on products (seq) where search_sku is null;

-- What `search` looks at. No word has a space, so that no word is found across two of the texts.
alter table products add column search_text text generated always as (
  search_name || ' ' || coalesce(search_sku, lower(sku)) || ' ' || search_vendor
) virtual;

-- Trigrams of the whole text: a name that matches is checked against search_name.
drop table product_names;
create virtual table product_texts using fts5 (
  search_text,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = 'trigram case_sensitive 1'
);
insert into product_texts (rowid, search_text) select seq, search_text from products;
