import { endpoints, type ServiceStatusResponse } from '@stowage/protocol'
import { readStatus, type ServiceStatus } from '../../operations/status.ts'
import { type RouteGroup, route } from '../route.ts'

/** Calls of the operator, about all accounts. */
export const operatorRoutes: RouteGroup = (app, options) => {
  route(app, options, endpoints.readStatus, async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
    return { data: presentStatus(await readStatus(options.context), options.version) }
  })
}

function presentStatus(status: ServiceStatus, version: string): ServiceStatusResponse['data'] {
  const { now, instances, state, failures, accounts, backups, freeBytes, fullAt } = status
  return {
    version,
    now: now.toISOString(),
    instances: instances.map(({ id, name, version, startedAt, seenAt, problems }) => ({
      id,
      name,
      version,
      started_at: startedAt.toISOString(),
      seen_at: seenAt.toISOString(),
      problems,
    })),
    queues: [
      ...state.queues.map(({ job, length, lagMs }) => ({ name: job, length, age: seconds(lagMs) })),
      { name: 'webhooks', length: state.webhookBacklog, age: seconds(state.webhookBacklogAgeMs) },
      { name: 'mails', length: state.mailBacklog, age: seconds(state.mailBacklogAgeMs) },
    ],
    failures: {
      damaged_files: state.damaged,
      webhooks: failures.webhooks,
      mails: failures.mails,
      bulk_changes: failures.bulkJobs,
    },
    disk:
      freeBytes === undefined
        ? null
        : { free: freeBytes, full_at: fullAt === null ? null : fullAt.toISOString() },
    backups: backups.map((backup) => presentBackup(backup, now)),
    totals: {
      accounts: state.accounts,
      assets: state.assets,
      stored: state.stored,
      reserved: state.reserved,
      trash: state.trash,
      uploads: state.uploading + state.completing,
    },
    accounts: accounts.map(
      ({ id, name, planName, planStorage, planAssets, stored, reserved, trash, assets }) => ({
        id,
        name,
        plan: { name: planName, storage: planStorage, assets: planAssets },
        ...{ stored, reserved, trash, assets },
      }),
    ),
  }
}

function presentBackup(
  backup: ServiceStatus['backups'][number],
  now: Date,
): ServiceStatusResponse['data']['backups'][number] {
  const { id, location, startedAt, finishedAt, isRunning, result } = backup
  return {
    id,
    folder: location,
    state: finishedAt === null ? (isRunning ? 'running' : 'interrupted') : 'complete',
    started_at: startedAt.toISOString(),
    finished_at: finishedAt === null ? null : finishedAt.toISOString(),
    age: seconds(Math.max(0, now.getTime() - startedAt.getTime())),
    generation: result?.generation ?? null,
    files: result?.files ?? 0,
    bytes: result?.bytes ?? 0,
    damaged: result?.damaged ?? 0,
  }
}

function seconds(ms: number): number {
  return Math.round(ms / 1000)
}
