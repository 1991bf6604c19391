/**
 * The settings of a service whose database `fill` created. The storage has no files, so a service that computes
 * checksums would mark all assets as damaged. The database may have been created long ago, so the trash is kept for
 * a year.
 */
export const CATALOG_SETTINGS = { STOWAGE_CHECKSUMS: 'off', STOWAGE_TRASH_FOR: '365d' }
