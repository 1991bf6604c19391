import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../manifest.ts'
import { clientApiPage } from './client-api-page.ts'

/* Writes docs/client-api.md from the types of the client: npm run docs:client */
await writeFile(join(ROOT, 'docs/client-api.md'), await clientApiPage())
