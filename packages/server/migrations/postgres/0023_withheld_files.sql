-- The account whose downloads do not get the object, because its bytes have not yet had the declared digest. They get
-- the previous version, if there is one. Null: downloads get the object.
alter table checksums add column withheld_for uuid;

-- Until now, all objects with an uncompared digest were withheld if checksums were enabled. Whether they are enabled is
-- not known here: they are if objects were read recently.
update checksums set withheld_for = assets.account_id from assets
where assets.id = checksums.object_key and sha256 is not null and verified_at is null and (damaged or (
  queue = 'new' and due_at > now() - interval '1 day'
  and exists (select from checksums where verified_at > now() - interval '1 day')));

drop index checksums_due;
create index checksums_due on checksums (queue, due_at) where queue is not null and withheld_for is null;
-- The smallest object of each account.
create index checksums_withheld on checksums (withheld_for, bytes)
  where withheld_for is not null and queue = 'new';
