import { homedir } from 'node:os'

/** Of users without a home, as containers have them, it is one in which nothing can be kept. */
export function homeFolder(): string {
  try {
    return homedir() || NO_HOME
  } catch {
    return NO_HOME
  }
}

const NO_HOME = '/dev/null'
