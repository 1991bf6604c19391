import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/*
 * Loaded with --import: this process has a further migration, as a newer version of Stowage has, on both databases.
 */

const NAME = '9998_newer.sql'
const SQL = 'alter table identity add column newer text'
const { readdir, readFile } = fs

Object.assign(fs, {
  async readdir(...list: Parameters<typeof readdir>) {
    const names = await readdir(...list)
    return /migrations[\\/](sqlite|postgres)$/.test(String(list[0])) ? [...names, NAME] : names
  },
  async readFile(...list: Parameters<typeof readFile>) {
    return String(list[0]).endsWith(NAME) ? SQL : readFile(...list)
  },
})
syncBuiltinESMExports()
