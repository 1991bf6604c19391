-- The time of the event `forgotten_event`, with which a reader that continues after it is recognized. Null: unknown.
alter table accounts add column forgotten_event_at timestamptz(3);
