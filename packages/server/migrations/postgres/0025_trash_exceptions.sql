-- How often all assets of the account were to be moved to the trash. A batch that belongs to an earlier call must not
-- end a later one.
alter table accounts add column trash_calls bigint not null default 0;
-- The assets up to this ID are done: see trash_until. Null: none.
alter table accounts add column trash_after uuid;

-- Assets that became ready or were restored after the call that set trash_until. They are not moved to the trash.
-- Without references: the rows are deleted when the last asset was moved.
create table trash_exceptions (
  account_id uuid not null,
  asset_id uuid not null,
  primary key (account_id, asset_id)
);
