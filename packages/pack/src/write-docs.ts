import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clientApiPage } from './client-api.ts'
import { eventsPage } from './events-page.ts'
import { ROOT } from './staging.ts'

/* Writes docs/client-api.md from the types of the client: npm run docs:client */
await writeFile(join(ROOT, 'docs/client-api.md'), await clientApiPage())

/* Writes docs/events.md from the protocol: npm run docs:events */
await writeFile(join(ROOT, 'docs/events.md'), eventsPage())
