/**
 * The settings of a service with a database from this folder. There are no files: a service that reads them would
 * find all of them damaged. The trash stays as it is, because the database may have been created long ago.
 */
export const CATALOG_SETTINGS = { STOWAGE_CHECKSUMS: 'off', STOWAGE_TRASH_FOR: '365d' }
