import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../manifest.ts'
import { eventsPage } from './events-page.ts'

/* Writes docs/events.md from the protocol: npm run docs:events */
await writeFile(join(ROOT, 'docs/events.md'), eventsPage())
