import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clientApiPage } from './client-api.ts'
import { eventsPage } from './events-page.ts'
import { ROOT } from './staging.ts'

/* Writes the pages that are made from the types of the client and from the protocol: npm run docs */
await writeFile(join(ROOT, 'docs/client-api.md'), await clientApiPage())
await writeFile(join(ROOT, 'docs/events.md'), eventsPage())
