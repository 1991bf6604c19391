-- What people call the kind of a file. Few, whatever media types clients send.
create function asset_type(kind text, mime text) returns text
language sql immutable parallel safe
return case
  when kind = 'link' then 'link'
  when mime ilike 'image/%' then 'image'
  when mime ilike 'video/%' then 'video'
  when mime ilike 'audio/%' then 'audio'
  when mime ilike 'text/%' then 'document'
  when mime ilike 'application/vnd.openxmlformats-officedocument.%' then 'document'
  when mime ilike 'application/vnd.oasis.opendocument.%' then 'document'
  when mime ilike 'application/vnd.ms-%' then 'document'
  else case lower(trim(split_part(mime, ';', 1)))
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
end;

-- Of ready assets. Links take no bytes. Kept by the triggers below, whoever changes assets.
create table usage_by_type (
  account_id uuid not null references accounts (id),
  type text not null,
  bytes bigint not null check (bytes >= 0),
  assets bigint not null check (assets >= 0),
  primary key (account_id, type)
);

-- An account's row is locked before its usage: whoever wants both takes them in this order.
create function count_changed_asset() returns trigger language plpgsql as $$
begin
  perform from accounts where id in (old.account_id, new.account_id) order by id for no key update;
  update usage_by_type
  set bytes = bytes - case old.kind when 'file' then old.bytes else 0 end, assets = assets - 1
  where old.status = 'ready'
    and account_id = old.account_id and type = asset_type(old.kind, old.mime);
  insert into usage_by_type as used (account_id, type, bytes, assets)
  select new.account_id, asset_type(new.kind, new.mime),
    case new.kind when 'file' then new.bytes else 0 end, 1
  where new.status = 'ready'
  on conflict (account_id, type) do update
  set bytes = used.bytes + excluded.bytes, assets = used.assets + 1;
  return null;
end
$$;

-- Many may come at once, of which most are uploads that begin.
create function count_added_assets() returns trigger language plpgsql as $$
begin
  if not exists (select from added where status = 'ready') then
    return null;
  end if;
  perform from accounts where id in (select account_id from added) order by id for no key update;
  insert into usage_by_type as used (account_id, type, bytes, assets)
  select account_id, asset_type(kind, mime),
    coalesce(sum(bytes) filter (where kind = 'file'), 0), count(*)
  from added where status = 'ready' group by 1, 2
  on conflict (account_id, type) do update
  set bytes = used.bytes + excluded.bytes, assets = used.assets + excluded.assets;
  return null;
end
$$;

insert into usage_by_type (account_id, type, bytes, assets)
select account_id, asset_type(kind, mime),
  coalesce(sum(bytes) filter (where kind = 'file'), 0), count(*)
from assets where status = 'ready' group by 1, 2;

create trigger assets_use_on_insert after insert on assets referencing new table as added
for each statement execute function count_added_assets();

create trigger assets_use_on_delete after delete on assets
for each row when (old.status = 'ready') execute function count_changed_asset();

create trigger assets_use_on_update after update of status, kind, bytes, mime, account_id on assets
for each row when (
  (old.status = 'ready' or new.status = 'ready')
  and (old.status, old.kind, old.bytes, old.mime, old.account_id)
    is distinct from (new.status, new.kind, new.bytes, new.mime, new.account_id)
) execute function count_changed_asset();
