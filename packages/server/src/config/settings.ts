/** Every setting that there is. */
export const SETTINGS = [
  'STOWAGE_HOST',
  'STOWAGE_PORT',
  'STOWAGE_BASE_URL',
  'STOWAGE_DATA',
  'STOWAGE_DATABASE',
  'STOWAGE_DATABASE_POOL',
  'STOWAGE_DATABASE_TIMEOUT',
  'STOWAGE_DATABASE_TLS',
  'STOWAGE_STORAGE',
  'STOWAGE_STORAGE_PORT',
  'STOWAGE_STORAGE_URL',
  'STOWAGE_S3_ENDPOINT',
  'STOWAGE_S3_REGION',
  'STOWAGE_S3_PATH_STYLE',
  'STOWAGE_S3_MAX_PARTS',
  'STOWAGE_AUTH',
  'STOWAGE_ADMIN_KEY',
  'STOWAGE_PLAN_STORAGE',
  'STOWAGE_CHUNK_SIZE',
  'STOWAGE_SIGNED_FOR',
  'STOWAGE_UPLOADS_KEPT_FOR',
  'STOWAGE_RATE_LIMIT',
  'STOWAGE_LOG',
] as const

export type Setting = (typeof SETTINGS)[number]

/** Those of the everyday commands: whoever has set them may still start a service. */
export const CLIENT_SETTINGS: readonly string[] = ['STOWAGE_URL', 'STOWAGE_API_KEY']
