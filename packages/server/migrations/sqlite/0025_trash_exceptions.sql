-- The assets up to this ID are done: see trash_until. Null: none.
alter table accounts add column trash_after text;

-- Assets that became ready or were restored after the call that set trash_until. They are not moved to the trash.
-- Without references: the rows are deleted when the last asset was moved.
create table trash_exceptions (
  account_id text not null,
  asset_id text not null,
  primary key (account_id, asset_id)
) strict, without rowid;
