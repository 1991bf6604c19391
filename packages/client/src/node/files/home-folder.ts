import { devNull, homedir } from 'node:os'

/**
 * The user's home folder. Users without one (common in containers) get the null device, so that every
 * attempt to store a file there fails.
 */
export function homeFolder(): string {
  try {
    return homedir() || devNull
  } catch {
    return devNull
  }
}
