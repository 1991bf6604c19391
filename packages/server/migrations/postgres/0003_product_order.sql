-- Lists of products can be sorted by name and by SKU. The texts are short enough, in any script, for an index entry,
-- which has at most 2,704 bytes.
create index concurrently products_in_name_order on products (account_id, left(search_name, 200), id);
create index concurrently products_in_sku_order on products (account_id, left(search_sku, 200), id);
