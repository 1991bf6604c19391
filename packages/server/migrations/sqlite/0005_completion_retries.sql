-- When an interrupted completion was last taken up, plus a pause that grows: failing ones must not
-- keep others from being taken up. Null: never yet.
alter table assets add column retry_at integer;

drop index assets_completing;
create index assets_completing on assets (coalesce(retry_at, changed_at))
  where status = 'completing';
