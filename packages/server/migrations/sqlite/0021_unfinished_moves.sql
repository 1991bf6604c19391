-- The data folder that `stowage move` is copying to this database; null if no move is unfinished.
alter table identity add column unfinished_move text;
