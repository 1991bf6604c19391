import { texts } from '../texts.ts'

export const bulk = texts('bulk', {
  running: {
    delete: { one: 'Deleting {count} asset', other: 'Deleting {count} assets' },
    restore: { one: 'Restoring {count} asset', other: 'Restoring {count} assets' },
    attach: { one: 'Attaching {count} asset', other: 'Attaching {count} assets' },
    detach: { one: 'Detaching {count} asset', other: 'Detaching {count} assets' },
    tag: { one: 'Tagging {count} asset', other: 'Tagging {count} assets' },
    untag: { one: 'Removing tags from {count} asset', other: 'Removing tags from {count} assets' },
    move: { one: 'Moving {count} asset', other: 'Moving {count} assets' },
  },
  done: '{done} of {total}',
  stop: 'Stop',
  stopped: { one: 'Stopped after {count} asset', other: 'Stopped after {count} assets' },
  stopFailed: 'Could not stop the change',
  region: 'Running changes',
  kind: 'Change',
  add: 'Add tags',
  remove: 'Remove tags',
})
