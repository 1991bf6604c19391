-- Folders can be moved, with everything below them.

-- The assets of a folder in any status, for moves: an asset keeps its place when its status changes meanwhile.
create index concurrently assets_of_any_status_by_folder on assets (account_id, folder, id) where folder is not null;

-- Moves of folders: the unfinished ones, and the last finished ones of each account.
create table folder_moves (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  -- With a slash at the end, like `assets.folder`.
  source text collate "C" not null,
  -- The texts from `source` (included) to `source_end` (excluded) are the folder and everything below it.
  source_end text collate "C" not null,
  destination text collate "C" not null,
  -- Who requested it: the actor of the events.
  actor text not null,
  created_at timestamptz(3) not null,
  finished_at timestamptz(3),
  moved bigint not null default 0,
  -- The assets up to this position are done. Null: none.
  after_folder text collate "C",
  after_id uuid
);

create index folder_moves_of_account on folder_moves (account_id, id);
create index folder_moves_unfinished on folder_moves (account_id) where finished_at is null;

-- Assets that came to a folder after the call that moves it. They stay. Without references: the rows are deleted after
-- the move has finished.
create table folder_move_exceptions (
  move_id uuid not null,
  asset_id uuid not null,
  primary key (move_id, asset_id)
);

-- A move starts and ends while it holds the account's row, so an asset arrives either before or after. The transactions
-- that add assets or change their folders lock the account's row anyway, after their assets.
create function assets_arrived() returns trigger as $$
begin
  perform from accounts where id = new.account_id for no key update;
  insert into folder_move_exceptions (move_id, asset_id)
  select id, new.id from folder_moves
  where account_id = new.account_id and finished_at is null
    and source <= new.folder and source_end > new.folder
  on conflict do nothing;
  return null;
end
$$ language plpgsql;

create trigger assets_arrived after insert on assets for each row
  when (new.folder is not null) execute function assets_arrived();

create trigger assets_came_to_folder after update of folder on assets for each row
  when (new.folder is not null and new.folder is distinct from old.folder)
  execute function assets_arrived();
