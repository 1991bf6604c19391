-- The time of the event, which is part of its public ID: the ID stays the same after the event was forgotten. Null for a
-- ping, and for a delivery that an earlier version has queued.
alter table deliveries add column event_at timestamptz(3);
