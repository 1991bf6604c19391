import { devNull, homedir } from 'node:os'

/** Of users without a home, as containers have them, it is one in which nothing can be kept. */
export function homeFolder(): string {
  try {
    return homedir() || devNull
  } catch {
    return devNull
  }
}
