import { ERRORS, type ErrorCode } from './errors.ts'
import { type Static, Type, Uuid } from './schema.ts'

export const Health = Type.Object(
  { status: Type.Enum(['ok'], { type: 'string' }) },
  { title: 'Health' },
)

export const Readiness = Type.Object(
  {
    status: Type.Enum(['ready', 'unavailable'], { type: 'string' }),
    checks: Type.Object({
      database: Type.Enum(['ok', 'unavailable'], { type: 'string' }),
      storage: Type.Enum(['ok', 'unavailable'], { type: 'string' }),
    }),
    degraded: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Problems to look at soon, although the instance serves requests: a disk that fills, slow calls of the database or the storage, failing background jobs',
      }),
    ),
    notes: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Warnings for the operator, such as a wrong clock',
      }),
    ),
  },
  { title: 'Readiness' },
)
export type Readiness = Static<typeof Readiness>

const Code = Type.Enum(Object.keys(ERRORS) as ErrorCode[], {
  type: 'string',
  title: 'ErrorCode',
  description: 'Never changes once released. New codes may be added',
})

/** The body of every error. */
export const ErrorBody = Type.Object(
  {
    message: Type.String({ description: 'What happened, and what to do. The wording may change' }),
    code: Code,
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'On 422: the problems by field',
      }),
    ),
  },
  { title: 'Error' },
)
export type ErrorBody = Static<typeof ErrorBody>

/** The body of 409 responses of calls that can return `replacement_in_progress`. */
export const ConflictBody = Type.Object(
  {
    message: Type.String(),
    code: Code,
    upload_id: Type.Optional(
      Uuid({
        description: 'For `replacement_in_progress`: the upload ID of the unfinished replacement',
      }),
    ),
  },
  { title: 'Conflict' },
)

/** The body of 403 responses of calls that can return `upload_token_exceeded`. */
export const UploadTokenExceededBody = Type.Object(
  {
    message: Type.String(),
    code: Code,
    remaining_bytes: Type.Optional(
      Type.Integer({
        description: 'For `upload_token_exceeded`: the bytes that the token can still upload',
      }),
    ),
    remaining_files: Type.Optional(
      Type.Integer({
        description: 'For `upload_token_exceeded`: the files that the token can still upload',
      }),
    ),
  },
  { title: 'UploadTokenExceeded' },
)

/** The body of `events_forgotten` and `events_reset`. */
export const EventsForgottenBody = Type.Object(
  {
    message: Type.String(),
    code: Code,
    last_id: Type.Integer({ description: 'The ID of the last event of the account' }),
  },
  { title: 'EventsForgotten' },
)

/** The body of `storage_exceeded`, with sizes in bytes, and of `assets_exceeded`, with numbers of assets. */
export const PlanExceededBody = Type.Object(
  {
    message: Type.String(),
    code: Code,
    needed: Type.Integer(),
    available: Type.Integer(),
    limit: Type.Integer(),
    stored: Type.Optional(Type.Integer()),
    reserved: Type.Optional(Type.Integer()),
  },
  { title: 'PlanExceeded' },
)
