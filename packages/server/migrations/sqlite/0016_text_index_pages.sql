-- Removing texts from an index merges its pages. With the default of 4,050 bytes, one commit that removes many texts of
-- a large index took seconds. Pages that exist stay as they are until they are merged.
insert into asset_names (asset_names, rank) values ('pgsz', 512);
insert into asset_paths (asset_paths, rank) values ('pgsz', 512);
insert into product_texts (product_texts, rank) values ('pgsz', 512);
insert into order_texts (order_texts, rank) values ('pgsz', 512);
