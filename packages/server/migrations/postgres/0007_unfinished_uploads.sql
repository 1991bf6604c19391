-- The key that started an upload. Both are null if the service requires no key. The key from the settings
-- has a name but no ID.
alter table assets add column started_by_id uuid;
alter table assets add column started_by_name text;

-- With the name, so that the matches of a filter are counted without reading the rows.
create index assets_unfinished on assets (account_id, id, search_name)
  where status in ('uploading', 'completing');
