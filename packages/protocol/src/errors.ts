/** One error code, for the HTTP status, the OpenAPI document and docs/errors.md. */
export interface ErrorEntry {
  status: number
  /** When the error is returned. */
  when: string
  /** What to do about it. */
  remedy: string
}

/**
 * Every code that the service or its disk storage returns. A code never changes once released. A test
 * keeps `docs/errors.md` equal to this list.
 */
export const ERRORS = {
  malformed_json: {
    status: 400,
    when: 'The body is not valid JSON.',
    remedy: 'Send one JSON object in UTF-8.',
  },
  malformed_request: {
    status: 400,
    when: 'The request line, the URL or the headers are malformed.',
    remedy: 'Percent-encode the URL as UTF-8 and send well-formed HTTP/1.1.',
  },
  unauthenticated: {
    status: 401,
    when: 'The key is missing, malformed, unknown or revoked, the upload token has expired, or the dashboard session has ended.',
    remedy: 'Send `Authorization: Bearer <key>` with a valid key.',
  },
  key_expired: {
    status: 401,
    when: 'The key has expired.',
    remedy: 'Use another key. `expires_at` of `GET /keys` shows when a key expires.',
  },
  storage_exceeded: {
    status: 402,
    when: 'The upload, or the asset to restore, needs more storage than the plan has left.',
    remedy:
      'Delete files or upgrade the plan. `needed` minus `available` is the number of bytes to free.',
  },
  assets_exceeded: {
    status: 402,
    when: 'The upload, the link, or the assets to restore exceed the number of assets that the plan allows. Unfinished uploads count, and assets in the trash do not.',
    remedy:
      'Delete assets, cancel uploads, or upgrade the plan. `available` is how many more the plan allows.',
  },
  forbidden: {
    status: 403,
    when: 'The key does not have the required scope, an upload token is used for a call that does not upload or on a page of another origin, the key that created an archive was revoked or has expired, a service without keys is called from another host or website, or a page of another origin sends the session cookie.',
    remedy:
      'Use a key with the scope named in the message, or call the service at its own base URL.',
  },
  account_suspended: {
    status: 403,
    when: 'The operator of the service has suspended the account: it can be read, but not changed.',
    remedy: 'Ask the operator of the service. Unfinished uploads are kept, and continue afterward.',
  },
  account_deleted: {
    status: 403,
    when: 'The operator of the service has deleted the account.',
    remedy: 'Ask the operator of the service, who can restore it until its data is removed.',
  },
  upload_token_exceeded: {
    status: 403,
    when: 'The upload exceeds the `max_bytes` or the `max_files` of the upload token. `remaining_bytes` and `remaining_files` show how much the token can still upload.',
    remedy: 'Choose a smaller file, or create another upload token.',
  },
  not_found: {
    status: 404,
    when: 'The URL or the ID does not exist, was deleted, or belongs to another account.',
    remedy: 'Check the URL and the ID.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The URL does not support this method.',
    remedy: 'Use a method from the `Allow` header.',
  },
  already_uploaded: {
    status: 409,
    when: 'The upload is already completed and cannot be cancelled or resized.',
    remedy:
      'Delete the asset if you do not need it. If the upload was a replacement, restore an older version instead.',
  },
  upload_completing: {
    status: 409,
    when: 'The upload is being completed and cannot be cancelled, deleted or resized; or its size cannot change because a completion was already attempted.',
    remedy:
      'Poll `GET /assets/:id`, or for a replacement `GET /assets/:id/upload?upload_id=…`, until `status` is `ready`. To change the size, start a new upload.',
  },
  completion_refused: {
    status: 409,
    when: 'The storage refuses to complete the upload, and a retry alone does not help (a missing permission, a policy, a limit).',
    remedy:
      'Fix the cause named in the message and complete the upload again, or cancel it. The parts are kept.',
  },
  not_ready: {
    status: 409,
    when: 'The file is still uploading, so it cannot be downloaded or replaced, and has no versions yet.',
    remedy: 'Finish the upload first. `GET /assets/:id/upload` lists the missing parts.',
  },
  selection_changed: {
    status: 409,
    when: 'The `filter` of `POST /bulk` matches `matched` assets instead of the `expected` ones.',
    remedy: 'Read the list again, and repeat the call with its `meta.total` as `expected`.',
  },
  damaged: {
    status: 409,
    when: 'The stored bytes do not match the declared SHA-256, have changed since the upload, or cannot be read, so the file cannot be downloaded.',
    remedy: 'Replace the file, or restore another version of it.',
  },
  verifying: {
    status: 409,
    when: 'The service has not yet compared the stored bytes with the declared SHA-256.',
    remedy: 'Retry after the number of seconds in `Retry-After`.',
  },
  replacement_in_progress: {
    status: 409,
    when: 'Another replacement of the asset is unfinished. `upload_id` identifies it.',
    remedy:
      'Resume it with `GET /assets/:id/upload?upload_id=…`, or cancel it with `POST /assets/:id/cancel`.',
  },
  not_a_file: {
    status: 409,
    when: 'The asset is a link, which has no versions.',
    remedy: 'Change the URL of the link with `PUT /assets/:id`.',
  },
  current_version: {
    status: 409,
    when: 'The current version of a file cannot be deleted.',
    remedy: 'Restore another version first, or delete the asset.',
  },
  folder_exists: {
    status: 409,
    when: 'The target of a move of a folder already has assets. `assets` is their number, counted up to 1,000.',
    remedy: 'Send `merge: true` to add the assets to those of the target, or choose another name.',
  },
  folder_move_in_progress: {
    status: 409,
    when: 'One of the folders is still being moved (`move_id`), or too many moves are unfinished.',
    remedy: 'Call `GET /folders/moves` until the move is finished, then try again.',
  },
  bulk_in_progress: {
    status: 409,
    when: 'Too many changes of all matches are running, or the one to undo is still running.',
    remedy: 'Call `GET /bulk` until a change has ended, or cancel one, then try again.',
  },
  not_undoable: {
    status: 409,
    when: 'A change of all matches cannot be undone: it is a permanent deletion, has changed nothing, or is too old.',
    remedy:
      'Change the assets themselves. `can_undo` of `GET /bulk/:id` says whether a change can be undone.',
  },
  idempotency_key_reused: {
    status: 409,
    when: 'The Idempotency-Key was already used with another body, or for another call.',
    remedy: 'Use a new Idempotency-Key for each upload, link, order, key, token and webhook.',
  },
  result_gone: {
    status: 409,
    when: 'The call with this Idempotency-Key has succeeded before, but what it created was deleted meanwhile, or its secret can no longer be returned because the secret key of the service was replaced.',
    remedy: 'Use a new Idempotency-Key to create another one.',
  },
  upload_ended: {
    status: 409,
    when: 'The Idempotency-Key belongs to an upload that was cancelled, expired or deleted.',
    remedy: 'Use a new Idempotency-Key to start a new upload.',
  },
  last_manage_key: {
    status: 409,
    when: 'The last manage key of the account cannot be revoked.',
    remedy: 'Create another manage key first.',
  },
  limit_reached: {
    status: 409,
    when: 'The buyer has downloaded the file as often as the order allows.',
    remedy: 'Raise `max_downloads` with `PATCH /orders/:id`.',
  },
  order_held: {
    status: 409,
    when: 'The order is held, so its buyer cannot download.',
    remedy: 'Release it with `PATCH /orders/:id` and `held` false.',
  },
  mail_not_configured: {
    status: 409,
    when: 'The call sends an e-mail, but the service has no mail server.',
    remedy:
      'Set `STOWAGE_SMTP_URL` and `STOWAGE_MAIL_FROM`, or send the `url` of the order to the buyer yourself.',
  },
  no_email: {
    status: 409,
    when: 'The order has no e-mail address.',
    remedy: 'Set `email` with `PATCH /orders/:id`, or send the `url` of the order yourself.',
  },
  mail_running: {
    status: 409,
    when: 'The mail is being sent.',
    remedy: 'Wait until it has been sent or has failed.',
  },
  notice_ended: {
    status: 409,
    when: 'The notice is done or cancelled, so it cannot be paused or resumed.',
    remedy:
      'Send a notice of a new version, or continue a cancelled one with `POST /assets/:id/notify`.',
  },
  too_many_keys: {
    status: 409,
    when: 'The account has the maximum number of active keys.',
    remedy: 'Revoke a key that you do not need.',
  },
  too_many_upload_tokens: {
    status: 409,
    when: 'The account has the maximum number of upload tokens that have not expired.',
    remedy:
      'Retry when some have expired. Create a token when the user chooses a file, and with a short `expires_in`.',
  },
  too_many_webhooks: {
    status: 409,
    when: 'The account has the maximum number of webhooks.',
    remedy: 'Delete a webhook that you do not need, or let one receive more types of events.',
  },
  webhook_disabled: {
    status: 409,
    when: 'A delivery of a disabled webhook cannot be sent again.',
    remedy: 'Enable the webhook with `PUT /webhooks/:id` first.',
  },
  webhook_busy: {
    status: 409,
    when: 'Too many requests to this webhook are waiting for a response.',
    remedy: 'Send the ping again in a few seconds.',
  },
  order_expired: {
    status: 410,
    when: 'The order has expired, or the 24 hours of a download are over.',
    remedy:
      'Set another `expires_at` with `PATCH /orders/:id`, or start the download again from the download page.',
  },
  order_revoked: {
    status: 410,
    when: 'The order was revoked.',
    remedy: 'Create another order.',
  },
  delivery_expired: {
    status: 410,
    when: 'The event of a delivery that should be sent again is no longer kept.',
    remedy: 'Read the current state with `GET /assets` and `GET /products` instead.',
  },
  events_forgotten: {
    status: 410,
    when: 'Events after the given ID may have been removed: events are kept for `STOWAGE_EVENTS_FOR`, up to `STOWAGE_EVENTS_SIZE` for each account.',
    remedy:
      'Read the current state with `GET /assets` and `GET /products`, then continue with `after` set to the `last_id` of this response.',
  },
  events_reset: {
    status: 410,
    when: 'The events of the account do not include the given ID: the database was restored from a backup, or the ID is of another account. Continuing after it would miss changes.',
    remedy:
      'Read the current state with `GET /assets` and `GET /products`, then continue with `after` set to the `last_id` of this response.',
  },
  archive_outdated: {
    status: 412,
    when: 'A file of the archive was deleted, or the version that the archive contains is no longer kept. The message names the files.',
    remedy:
      'Create the archive again with `POST /archives`, and download it from the start: its bytes are others.',
  },
  body_too_large: {
    status: 413,
    when: 'The body of the request is larger than this call allows.',
    remedy: 'Send file bytes to the part URLs, not to the API.',
  },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not declared as JSON.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  expectation_failed: {
    status: 417,
    when: 'The `Expect` header is not `100-continue`.',
    remedy: 'Remove the `Expect` header.',
  },
  invalid: {
    status: 422,
    when: 'A field is missing or invalid.',
    remedy: 'Correct the fields named in `errors` and send the request again.',
  },
  too_many_requests: {
    status: 429,
    when: 'The key or the account has exceeded its limit of requests per minute, too many of its large request bodies are being received at the same time, or too many requests with wrong keys, or to download pages, came from the address of the client.',
    remedy: 'Retry after the number of seconds in `Retry-After`.',
  },
  too_many_streams: {
    status: 429,
    when: 'The key, the account, or the instance as a whole has too many open event streams.',
    remedy: 'Close a stream, share one between several readers, or read `GET /events` in pages.',
  },
  too_many_downloads: {
    status: 429,
    when: 'The account, or the instance as a whole, has too many running downloads of archives.',
    remedy: 'Retry after the number of seconds in `Retry-After`, or when a download is complete.',
  },
  internal: {
    status: 500,
    when: 'An unexpected error occurred in the service.',
    remedy: 'Retry. If the error persists, look up the `X-Request-Id` of the response in the log.',
  },
  secret_key_missing: {
    status: 503,
    when: 'The key that encrypts the secrets of webhooks is missing or wrong, so that no secret can be created.',
    remedy:
      'A retry does not help. Ask the operator of the service to restore the key: `stowage doctor` shows what to do.',
  },
  storage_unavailable: {
    status: 503,
    when: 'The storage is unavailable.',
    remedy: 'Retry after the number of seconds in `Retry-After`. Nothing was lost.',
  },
  overloaded: {
    status: 503,
    when: 'The instance is receiving too many large request bodies.',
    remedy: 'Retry after the number of seconds in `Retry-After`. Nothing was changed.',
  },
  database_unavailable: {
    status: 503,
    when: 'The database is unavailable.',
    remedy: 'Retry after the number of seconds in `Retry-After`. Nothing was lost.',
  },
  wrong_length: {
    status: 400,
    when: 'Storage: the body does not have the length of the part.',
    remedy: 'Send exactly the bytes from `start` to `end`, with a `Content-Length`.',
  },
  signature_invalid: {
    status: 403,
    when: 'Storage: the signature of the URL is missing or invalid.',
    remedy: 'Use the URL exactly as the service returned it.',
  },
  url_expired: {
    status: 403,
    when: 'Storage: the signed URL has expired.',
    remedy:
      'Call `GET /assets/:id/upload` (or `/download`, or for an archive `POST /archives`) to get a new one.',
  },
  upload_not_found: {
    status: 404,
    when: 'Storage: the upload was completed or cancelled, or it has expired.',
    remedy: 'Call `GET /assets/:id`. If the asset no longer exists, start a new upload.',
  },
  object_not_found: {
    status: 404,
    when: 'Storage: the file was deleted.',
    remedy: 'Upload the file again.',
  },
  part_replaced: {
    status: 409,
    when: 'Storage: a newer PUT of the same part arrived, and replaces this one.',
    remedy:
      'Nothing, if you sent the part again. Otherwise call `GET /assets/:id/upload` to see whether the storage has the part.',
  },
  precondition_failed: {
    status: 412,
    when: 'Storage: `If-Match` does not match the file.',
    remedy: 'Download the file from the start.',
  },
  range_not_satisfiable: {
    status: 416,
    when: 'Storage: the range is outside the file.',
    remedy: 'Request a range within the size in `Content-Range`.',
  },
  storage_full: {
    status: 507,
    when: 'The server’s disk does not have enough free space for the file, the part or the change; `STOWAGE_DISK_RESERVE` is kept free.',
    remedy:
      'Delete files permanently or empty the trash, which still works on a full disk, or free space on the server. Then send the request again.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

/** The HTTP status of a code. */
export function statusOf(code: ErrorCode): number {
  return ERRORS[code].status
}
