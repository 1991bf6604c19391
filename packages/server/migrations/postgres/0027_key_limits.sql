-- To count the upload tokens of an account that have not expired.
create index upload_tokens_of_account on upload_tokens (account_id, expires_at);

-- To remove keys that were revoked long ago.
create index keys_by_revocation on keys (revoked_at) where revoked_at is not null;
