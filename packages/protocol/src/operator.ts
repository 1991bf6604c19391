import { Nullable, type Static, Type, Uuid } from './schema.ts'

const Time = (description: string) => Type.String({ format: 'date-time', description })
const Count = (description: string) => Type.Integer({ description })

export const ServiceStatus = Type.Object(
  {
    version: Type.String({ description: 'Of the instance that responds' }),
    now: Time('When this was read'),
    instances: Type.Array(
      Type.Object({
        id: Uuid(),
        name: Type.String({ description: 'The host, and the ID of the process' }),
        version: Type.String(),
        started_at: Time('When it started'),
        seen_at: Time('When it last reported, which it does every minute'),
        problems: Type.Array(Type.String(), {
          description: 'What it reports at `/readyz` as degraded, and its notes',
        }),
      }),
      { description: 'The instances that reported in the last ten minutes, the oldest first' },
    ),
    queues: Type.Array(
      Type.Object({
        name: Type.String({
          description: 'A background job, `webhooks` or `mails`',
        }),
        length: Count('At most 10,000'),
        age: Count('For how many seconds the oldest entry has waited'),
      }),
    ),
    failures: Type.Object({
      damaged_files: Count('Files whose bytes have changed or cannot be read'),
      webhooks: Count('Webhooks that fail, or were disabled in the last day because they failed'),
      mails: Count('Mails of the last day that could not be delivered'),
      bulk_changes: Count('Changes of many assets that failed in the last day'),
    }),
    disk: Type.Unsafe<{ free: number; full_at: string | null } | null>({
      type: ['object', 'null'],
      required: ['free', 'full_at'],
      properties: {
        free: Count('Bytes that can be stored, without the reserve'),
        full_at: Nullable('string', {
          format: 'date-time',
          description: 'When the disk will be full if it continues to fill',
        }),
      },
      description: 'Null if the files are stored in S3',
    }),
    backups: Type.Array(
      Type.Object({
        id: Uuid(),
        folder: Type.String({ description: 'As the command was given it' }),
        state: Type.Enum(['running', 'complete', 'interrupted'], { type: 'string' }),
        started_at: Time('When it started. It has the rows of this time'),
        finished_at: Nullable('string', {
          format: 'date-time',
          description: 'Null unless it is complete',
        }),
        age: Count('Seconds since it started'),
        generation: Nullable('string', { description: 'Its name in the folder' }),
        files: Count('Files that the backup has; 0 unless it is complete'),
        bytes: Count('Their size'),
        damaged: Count('Files that were damaged or missing in the service'),
      }),
      {
        description:
          'The last 10 runs of `stowage backup`, the newest first, and the last complete one, however old it is. Backups by other tools are not listed',
      },
    ),
    totals: Type.Object({
      accounts: Count('Accounts'),
      assets: Count('Ready assets'),
      stored: Count('Bytes of ready files, with older versions'),
      reserved: Count('Bytes of unfinished uploads'),
      trash: Count('Bytes in the trash'),
      uploads: Count('Unfinished uploads, at most 20,000'),
    }),
    accounts: Type.Array(
      Type.Object({
        id: Uuid(),
        name: Type.String(),
        plan: Type.Object({
          name: Type.String(),
          storage: Count('Bytes that the plan allows'),
          assets: Nullable('integer', {
            description: 'Assets that the plan allows; null: any number',
          }),
        }),
        stored: Count('Bytes'),
        reserved: Count('Bytes'),
        trash: Count('Bytes'),
        assets: Count('Ready assets'),
      }),
      { description: 'The 100 accounts that use the most storage' },
    ),
  },
  { title: 'ServiceStatus' },
)
export type ServiceStatus = Static<typeof ServiceStatus>

export const ServiceStatusResponse = Type.Object(
  { data: ServiceStatus },
  { title: 'ServiceStatusResponse' },
)
export type ServiceStatusResponse = Static<typeof ServiceStatusResponse>
