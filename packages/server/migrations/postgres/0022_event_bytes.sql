-- The stored bytes of the account's events up to `counted_event`, for the limit of stored events. A job counts new
-- events shortly after they were recorded.
alter table accounts add column event_bytes bigint not null default 0;
alter table accounts add column counted_event bigint not null default 0;

-- How many events were forgotten before they could be sent to the webhook, and when this was last noticed.
alter table webhooks add column missed_events bigint not null default 0;
alter table webhooks add column missed_at timestamptz(3);

-- From this migration on, an empty body means that the body is built from the event when it is sent. Such an event is
-- kept while a delivery of it is pending: the index finds the first one.
create index deliveries_pending_events on deliveries (webhook_id, event_id) where status = 'pending';
