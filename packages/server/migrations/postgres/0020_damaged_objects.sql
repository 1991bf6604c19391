-- Damaged objects are read again without waiting for the others.
create index checksums_damaged on checksums (due_at) where damaged;
