-- Lists of products can be sorted by name and by SKU. The texts are short enough, in any script, for an index entry of
-- PostgreSQL. With the IDs of the shop, so that the first variant of a product is found without reading the rows.
alter table products add column sort_name text generated always as (substr(search_name, 1, 200)) virtual;
alter table products add column sort_sku text generated always as (substr(search_sku, 1, 200)) virtual;
create index products_in_name_order on products (account_id, sort_name, id, product_id, variant_id);
create index products_in_sku_order on products (account_id, sort_sku, id, product_id, variant_id);
