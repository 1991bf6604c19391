-- Instances of earlier versions may still run during an upgrade. They would send deliveries without a body, and sign with
-- the encrypted text of the secret. Without this column, they cannot claim deliveries, and leave them to this version.
alter table deliveries rename column claimed_until to claim_ends_at;
