import { readFile, writeFile } from 'node:fs/promises'
import { PAGE, readResults, renderPage } from './result.ts'

/*
 * Writes the saved results in docs/reliability/ into the tables of docs/reliability.md:
 *
 *     npx node packages/proofs/src/reliability/write-page.ts
 */
await writeFile(PAGE, renderPage(await readFile(PAGE, 'utf8'), await readResults()))
