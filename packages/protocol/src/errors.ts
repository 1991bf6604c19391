/** What one error code means, for the status table, the OpenAPI document and docs/errors.md. */
export interface ErrorEntry {
  status: number
  /** When it is answered. */
  when: string
  /** What the reader does about it. */
  remedy: string
}

/**
 * Every code that the service or its disk storage can answer. A code never changes once released;
 * `docs/errors.md` lists the same, and a test keeps the two equal.
 */
export const ERRORS = {
  malformed_json: {
    status: 400,
    when: 'The body is not JSON.',
    remedy: 'Send one JSON object, in UTF-8.',
  },
  malformed_request: {
    status: 400,
    when: 'The request line, the address or the headers cannot be read.',
    remedy: 'Percent-encode the address as UTF-8 and send well-formed HTTP/1.1.',
  },
  unauthenticated: {
    status: 401,
    when: 'The key is missing, malformed, unknown or revoked.',
    remedy: 'Send `Authorization: Bearer <key>` with a valid key.',
  },
  storage_exceeded: {
    status: 402,
    when: 'The upload is larger than what the plan has left.',
    remedy: 'Delete files or raise the plan; `needed` and `available` say by how much.',
  },
  forbidden: {
    status: 403,
    when: 'The key lacks the scope, or the request comes from a host or web page that is not ours.',
    remedy:
      'Use a key with the scope named in the message, or call the service by its own address.',
  },
  not_found: {
    status: 404,
    when: 'There is no such address or asset, or it is not yours, or it is gone.',
    remedy: 'Check the address and the id.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The address exists, but not with this method.',
    remedy: 'Use a method from the `Allow` header.',
  },
  already_uploaded: {
    status: 409,
    when: 'A cancel or a new size arrives after the upload was completed.',
    remedy: 'The asset is stored; delete it if it is not wanted.',
  },
  upload_completing: {
    status: 409,
    when: 'A cancel, a delete or a new size arrives while the upload is being completed, or a new size after a completion has begun.',
    remedy: 'Read the asset: it will be ready in a moment.',
  },
  completion_refused: {
    status: 409,
    when: 'The storage refuses to complete the upload, and would refuse again (a missing right, a policy, a limit).',
    remedy:
      'Fix the cause that the message names and complete the upload again, or cancel it. The parts are kept.',
  },
  not_ready: {
    status: 409,
    when: 'A download is asked for while the asset is still uploading.',
    remedy: 'Finish the upload first; `GET /assets/:id/upload` lists what is missing.',
  },
  idempotency_key_reused: {
    status: 409,
    when: 'The Idempotency-Key was used before with another body.',
    remedy: 'Use a new key for a new upload.',
  },
  upload_ended: {
    status: 409,
    when: 'The Idempotency-Key belongs to an upload that was cancelled, expired or deleted.',
    remedy: 'Use a new key to start over.',
  },
  last_manage_key: {
    status: 409,
    when: 'The key to be revoked is the last manage key of the account.',
    remedy: 'Create another manage key first.',
  },
  body_too_large: {
    status: 413,
    when: 'The body of the request is larger than this call takes.',
    remedy: 'Send file bytes to the part addresses, not to the service.',
  },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not declared as JSON.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  expectation_failed: {
    status: 417,
    when: 'The `Expect` header asks for anything but `100-continue`.',
    remedy: 'Leave out the `Expect` header.',
  },
  invalid: {
    status: 422,
    when: 'A field is missing or wrong.',
    remedy: 'Mend the fields named in `errors` and send the request again.',
  },
  too_many_requests: {
    status: 429,
    when: 'The key sends more requests a minute than the service allows.',
    remedy: 'Wait as many seconds as `Retry-After` says.',
  },
  internal: {
    status: 500,
    when: 'The service failed in a way it does not know.',
    remedy: 'Try again; if it stays, look up the `X-Request-Id` of the answer in the log.',
  },
  storage_unavailable: {
    status: 503,
    when: 'The object storage does not answer.',
    remedy: 'Try again after `Retry-After` seconds. Nothing was lost.',
  },
  database_unavailable: {
    status: 503,
    when: 'The database does not answer.',
    remedy: 'Try again after `Retry-After` seconds. Nothing was lost.',
  },
  wrong_length: {
    status: 400,
    when: 'Storage: the body of a part is not as long as its address says.',
    remedy: 'Send exactly the bytes from `start` to `end`, with a Content-Length.',
  },
  signature_invalid: {
    status: 403,
    when: 'Storage: the signature of the address is missing or does not fit.',
    remedy: 'Use the address exactly as the service gave it.',
  },
  address_expired: {
    status: 403,
    when: 'Storage: the address has run out.',
    remedy: 'Ask `GET /assets/:id/upload` (or `/download`) for a fresh one.',
  },
  upload_not_found: {
    status: 404,
    when: 'Storage: the upload was completed, cancelled or has expired.',
    remedy: 'Read the asset; start a new upload if it is gone.',
  },
  object_not_found: {
    status: 404,
    when: 'Storage: the file was deleted.',
    remedy: 'Nothing brings it back; upload it again.',
  },
  precondition_failed: {
    status: 412,
    when: 'Storage: `If-Match` names another file.',
    remedy: 'Download the file from the start.',
  },
  range_not_satisfiable: {
    status: 416,
    when: 'Storage: the range lies outside the file.',
    remedy: 'Ask for bytes below the size in `Content-Range`.',
  },
  storage_full: {
    status: 507,
    when: 'The disk of the server has no room for the file, the part or the change, beside its reserve.',
    remedy:
      'Delete files, which always works, or free disk space on the server; then send the request again.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

/** The status that answers a code. */
export function statusOf(code: ErrorCode): number {
  return ERRORS[code].status
}
