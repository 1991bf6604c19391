import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const BUILD = fileURLToPath(new URL('../../../dashboard/build.ts', import.meta.url))

/** Builds the dashboard unless it is up to date. Fails with the stderr output of the build. */
export function buildDashboard(): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [BUILD, '--required'], (error, _stdout, stderr) => {
      if (error === null) resolve()
      else reject(new Error(stderr.trim()))
    })
  })
}
