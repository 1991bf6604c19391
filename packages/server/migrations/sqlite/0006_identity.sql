-- Which database this is, and which storage belongs to it: null until the first start has bound one.
create table identity (
  only_row integer primary key check (only_row = 1),
  id text not null,
  storage_id text
) strict;

insert into identity (only_row, id) values (1, lower(hex(randomblob(16))));
