-- What people call the kind of a file. Few, whatever media types clients send.
alter table assets add column type text generated always as (
  case
    when kind = 'link' then 'link'
    when mime like 'image/%' then 'image'
    when mime like 'video/%' then 'video'
    when mime like 'audio/%' then 'audio'
    when mime like 'text/%' then 'document'
    when mime like 'application/vnd.openxmlformats-officedocument.%' then 'document'
    when mime like 'application/vnd.oasis.opendocument.%' then 'document'
    when mime like 'application/vnd.ms-%' then 'document'
    else case lower(trim(substr(mime, 1, instr(mime || ';', ';') - 1)))
      when 'application/pdf' then 'document'
      when 'application/epub+zip' then 'document'
      when 'application/x-mobipocket-ebook' then 'document'
      when 'application/vnd.amazon.ebook' then 'document'
      when 'application/rtf' then 'document'
      when 'application/msword' then 'document'
      when 'application/zip' then 'archive'
      when 'application/x-zip' then 'archive'
      when 'application/x-zip-compressed' then 'archive'
      when 'application/gzip' then 'archive'
      when 'application/x-gzip' then 'archive'
      when 'application/x-tar' then 'archive'
      when 'application/x-gtar' then 'archive'
      when 'application/x-compressed-tar' then 'archive'
      when 'application/x-7z-compressed' then 'archive'
      when 'application/vnd.rar' then 'archive'
      when 'application/x-rar-compressed' then 'archive'
      when 'application/x-rar' then 'archive'
      when 'application/x-bzip' then 'archive'
      when 'application/x-bzip2' then 'archive'
      when 'application/x-xz' then 'archive'
      when 'application/zstd' then 'archive'
      else 'other'
    end
  end
) virtual;

-- Of ready assets. Links take no bytes. Kept by the triggers below, whoever changes assets.
create table usage_by_type (
  account_id text not null references accounts (id),
  type text not null,
  bytes integer not null check (bytes >= 0),
  assets integer not null check (assets >= 0),
  primary key (account_id, type)
) strict, without rowid;

insert into usage_by_type (account_id, type, bytes, assets)
select account_id, type, sum(case kind when 'file' then bytes else 0 end), count(*)
from assets where status = 'ready' group by account_id, type;

create trigger assets_use_on_insert after insert on assets when new.status = 'ready'
begin
  insert into usage_by_type (account_id, type, bytes, assets)
  values (new.account_id, new.type, case new.kind when 'file' then new.bytes else 0 end, 1)
  on conflict (account_id, type) do update
  set bytes = bytes + excluded.bytes, assets = assets + 1;
end;

create trigger assets_use_on_delete after delete on assets when old.status = 'ready'
begin
  update usage_by_type
  set bytes = bytes - case old.kind when 'file' then old.bytes else 0 end, assets = assets - 1
  where account_id = old.account_id and type = old.type;
end;

create trigger assets_use_on_update after update of status, kind, bytes, mime, account_id on assets
when (old.status = 'ready' or new.status = 'ready')
  and (old.status, old.kind, old.bytes, old.mime, old.account_id)
    <> (new.status, new.kind, new.bytes, new.mime, new.account_id)
begin
  update usage_by_type
  set bytes = bytes - case old.kind when 'file' then old.bytes else 0 end, assets = assets - 1
  where old.status = 'ready' and account_id = old.account_id and type = old.type;
  insert into usage_by_type (account_id, type, bytes, assets)
  select new.account_id, new.type, case new.kind when 'file' then new.bytes else 0 end, 1
  where new.status = 'ready'
  on conflict (account_id, type) do update
  set bytes = bytes + excluded.bytes, assets = assets + 1;
end;
