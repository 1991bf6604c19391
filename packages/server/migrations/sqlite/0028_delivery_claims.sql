-- See the migration of PostgreSQL, where instances of earlier versions must not claim deliveries. Both engines use the
-- same name.
alter table deliveries rename column claimed_until to claim_ends_at;
