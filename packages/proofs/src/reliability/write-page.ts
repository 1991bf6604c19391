import { writeFile } from 'node:fs/promises'
import { PAGE, readResults, renderPage } from './result.ts'

/*
 * Writes the saved results in docs/reliability/ into docs/reliability/results.md:
 *
 *     npx node packages/proofs/src/reliability/write-page.ts
 */
await writeFile(PAGE, renderPage(await readResults()))
