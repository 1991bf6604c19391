import type { AuthConfig, Config } from './config.ts'

/** Names the database without the user and the password of its URL. */
export function describeDatabase({ database, dataDirectory }: Config): string {
  if (database.kind === 'sqlite') return `SQLite in ${dataDirectory}`
  const { host, pathname, searchParams } = new URL(database.url)
  return `PostgreSQL at ${host || searchParams.get('host') || 'localhost'}${pathname}`
}

/** The text that the service prints when it is ready: its URLs, and how to get access. */
export function startupMessage(
  service: { baseUrl: string; storageUrl: string },
  version: string,
  config: Config,
): string {
  return `Stowage ${version} is ready.

  Dashboard   ${service.baseUrl}
  Reference   ${service.baseUrl}/docs
  Storage     ${service.storageUrl}
  Data        ${config.database.kind === 'sqlite' ? config.dataDirectory : describeDatabase(config)}

${accessText(config.auth)}

Open the dashboard and drop a file. To call the API, try:

  curl ${authorization(config.auth)}${service.baseUrl}/api/v1/assets

`
}

function accessText(auth: AuthConfig): string {
  if (auth.kind === 'open') {
    return 'Only this machine can reach the service, and no API key is needed.'
  }
  if (auth.adminKey !== undefined) return 'Sign in with the key in STOWAGE_ADMIN_KEY.'
  return 'An API key is required. Create one with: npx stowage keys add --name first --scope manage'
}

/** The text never contains the key itself, because it ends up in logs. */
function authorization(auth: AuthConfig): string {
  if (auth.kind === 'open') return ''
  if (auth.adminKey === undefined) return "-H 'Authorization: Bearer <key>' "
  return '-H "Authorization: Bearer $STOWAGE_ADMIN_KEY" '
}
