import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import { ServiceStatusResponse } from '../operator.ts'

export const readStatus = defineEndpoint({
  operationId: 'readStatus',
  methods: ['GET'],
  path: `${API_PREFIX}/operator/status`,
  tag: 'Operator',
  scope: 'operator',
  summary: 'View the state of the service',
  description:
    'The instances and their versions, the queues, recent failures, the disk, the backups, and the usage of all accounts. Keys of accounts get 403.',
  success: {
    status: 200,
    description: 'The state',
    schema: ServiceStatusResponse,
    example: {
      data: {
        version: '0.2.0',
        now: '2026-01-31T12:00:00.000Z',
        instances: [
          {
            id: '019c1234-0000-7000-8000-000000000001',
            name: 'files-1 (4711)',
            version: '0.2.0',
            started_at: '2026-01-30T08:00:00.000Z',
            seen_at: '2026-01-31T11:59:30.000Z',
            problems: [],
          },
        ],
        queues: [{ name: 'webhooks', length: 0, age: 0 }],
        failures: { damaged_files: 0, webhooks: 0, mails: 1, bulk_changes: 0 },
        disk: { free: 250_000_000_000, full_at: null },
        backups: [
          {
            id: '019c1234-0000-7000-8000-000000000003',
            folder: '/backups/stowage',
            state: 'complete',
            started_at: '2026-01-31T02:00:00.000Z',
            finished_at: '2026-01-31T02:03:20.000Z',
            age: 36_000,
            generation: '20260131T020000Z',
            files: 12,
            bytes: 40_000_000,
            damaged: 0,
          },
        ],
        totals: { accounts: 1, assets: 12, stored: 40_000_000, reserved: 0, trash: 0, uploads: 0 },
        accounts: [
          {
            id: '019c1234-0000-7000-8000-000000000002',
            name: 'default',
            plan: { name: 'default', storage: 1_000_000_000_000, assets: null },
            stored: 40_000_000,
            reserved: 0,
            trash: 0,
            assets: 12,
          },
        ],
      },
    },
  },
  errors: [],
})
