/**
 * The introduction of the reference, in Markdown. It uses only the syntax that the reference page renders:
 * paragraphs, `## ` headings, lists, fenced code and `code`.
 */
export function introduction(baseUrl: string): string {
  return `Stowage stores digital assets and attaches them to products.

Calls take and return JSON in UTF-8, except downloads and the event stream. The examples use these two variables:

\`\`\`sh
export API=${baseUrl}/api/v1
export STOWAGE_API_KEY=stow_…
\`\`\`

## Authentication

Send an API key with every call: \`Authorization: Bearer stow_…\`. A key belongs to one account and has one scope.
\`read\` allows reading, \`write\` also allows changes, and \`manage\` also allows managing keys and webhooks. A missing,
revoked or expired key returns 401; a key without the required scope returns 403.

- Create the first key with \`stowage keys add\` on the server, and more keys with \`POST /keys\`.
- A service that listens on loopback only is open by default. It needs no key and ignores keys.
- The dashboard signs in with a cookie (\`POST /session\`). It is only accepted from the dashboard itself: programs and
  pages of other origins send a key.
- An upload token (\`POST /upload-tokens\`) replaces the key in web pages. It can only upload, within its limits:
  resume, complete and cancel return 404 for uploads that it did not start, and other calls return 403.
- Calls about the whole service (\`/operator\`) require the operator’s key, \`STOWAGE_ADMIN_KEY\`.
- An ID of another account returns 404, as if it did not exist.

\`\`\`sh
curl "$API/account" -H "Authorization: Bearer $STOWAGE_API_KEY"
\`\`\`

## Errors

Every error has the same body. \`message\` is for people: what happened, and what to do. \`code\` is for programs and
never changes once released.

\`\`\`json
{
  "message": "size must be the file’s size in bytes: a whole number from 0 to 9007199254740991.",
  "code": "invalid",
  "errors": { "size": ["must be the file’s size in bytes: a whole number from 0 to 9007199254740991"] }
}
\`\`\`

- 422 has \`errors\`: the problems by field. Calls of Stowage's own, such as \`POST /upload-tokens\`, refuse unknown fields.
- 402 has \`needed\`, \`available\`, \`limit\`, \`stored\` and \`reserved\`, in bytes.
- 429, 503 and 409 \`verifying\` have a \`Retry-After\` header, in seconds.
- Every response has an \`X-Request-Id\`: that of the request, if it has 1 to 128 letters, digits and \`.:+/=@_-\`, or a
  new one. The log of the service contains the same ID for each request that could be parsed.
- A 201 has a \`Location\`: the URL of what the call has created.
- A call that returns a 4xx status has changed nothing. One exception: after the storage refused a completion, the size
  of the upload can no longer change.

## Paging

Lists return 25 rows per page. \`limit\` changes that, up to 1000 (100 for product groups and deliveries); \`page\`
selects the page.
\`meta.total\` is the number of all rows, and \`links.next\` is the URL of the next page, or null on the last one. The
URLs in \`links\` keep all other parameters. A page after the last one is empty, not an error. A list ignores query
parameters that it does not know, and names them in \`meta.ignored\`.

The first pages of a large list of assets or orders with \`search\` or a filter are returned before all matches are counted. Then
\`meta.total_is_exact\` is false: the list has at least \`meta.total_at_least\` rows and at most \`meta.total\`.
\`meta.last_page\` is computed from \`meta.total\`, so a client that reads all pages up to it reads all rows; the last of
these pages may be empty. \`exact_total=true\` counts all matches first. It is the default with \`filename\`.

A list has an \`ETag\`, unless it is longer than 64,000 characters or is produced while it is sent. With \`If-None-Match\`,
the response is 304 without a body as long as the list has not changed. Lists from 16,000 characters on are compressed if
the client sends \`Accept-Encoding: gzip\`.

\`GET /events\` is read with \`after\` and \`meta.next_after\` instead. Keys, webhooks and versions are returned whole.

\`\`\`sh
curl "$API/assets?filename=pack&limit=100&page=2" -H "Authorization: Bearer $STOWAGE_API_KEY"
\`\`\`

## Uploads

The bytes of a file go straight to the storage, in parts, in any order and in parallel.

1. \`POST /assets/signed\` reserves the size and returns one signed URL per part.
2. \`PUT\` the bytes from \`start\` to \`end\` (exclusive) to each URL, without a \`Content-Type\` header and without
the API key.
3. \`POST /assets/:id/uploaded\` completes the upload. The service asks the storage which parts it has.

\`\`\`sh
curl -s "$API/assets/signed" -H "Authorization: Bearer $STOWAGE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "pack.zip", "size": 12345, "mime": "application/zip"}' > session.json

curl -X PUT -H 'Content-Type:' --data-binary @pack.zip "$(jq -r '.urls[0].url' session.json)"

curl -s "$API/assets/$(jq -r .id session.json)/uploaded" -H "Authorization: Bearer $STOWAGE_API_KEY" \\
  -H 'Content-Type: application/json' -d "{\\"upload_id\\": \\"$(jq -r .upload_id session.json)\\"}"
\`\`\`

The URLs expire at \`urls_expire_at\`, and the upload itself later, at \`upload_expires_at\`. \`GET /assets/:id/upload\`
resumes an upload from any machine: it lists the received parts and returns new URLs for the missing ones.

## Replacing files

\`POST /assets/:id/signed\` starts the upload of a new version of a file. The parts are sent in the same way, and
\`POST /assets/:id/uploaded\` with the \`upload_id\` of this session makes the new version current. Until then the
asset does not change. Its ID, its products and all links to it stay the same.

- \`GET /assets/:id/upload?upload_id=…\` resumes the upload, and \`POST /assets/:id/cancel\` discards it.
- A download returns the version that was current when it began. No file is ever overwritten.
- \`GET /assets/:id/versions\` lists the versions. \`POST /assets/:id/versions/:version/restore\` makes an older one
  current again.

## Idempotency

Send a new \`Idempotency-Key\` header with each call that creates something: \`POST /assets/signed\`,
\`POST /assets/:id/signed\`, \`POST /assets/store\`, \`POST /keys\`, \`POST /upload-tokens\` and \`POST /webhooks\`. The same
key with the same body returns what the first call has created, including its secret, with \`Idempotency-Replayed: true\`
for all but uploads. The same key with another body returns 409. Keys are kept for 24 hours, and those of uploads as long
as the upload. Each API key has its own.

Without the header, repeating one of these calls creates another upload, link, key, token or webhook. \`ping\`,
\`redeliver\` and \`rotate\` of a webhook have an effect each time, and refuse the header. Every other call can be repeated
safely: completing or cancelling an upload twice returns the same response, and so does attaching, detaching or storing the
same products, and restoring a version.

After a 429 or a 503, wait and send the same call again. After a lost connection, send the call again, with the same
\`Idempotency-Key\` if it creates something.
`
}
