import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Of our own, as the base image that we make there must not replace the one that people have. */
const STORE = join(tmpdir(), 'stowage-images')

export function buildahArguments(...words: string[]): string[] {
  return ['--root', join(STORE, 'root'), '--runroot', join(STORE, 'run'), ...words]
}

/** Returns what it wrote to standard output. */
export async function buildah(...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('buildah', buildahArguments(...words), {
    maxBuffer: 2 ** 26,
  })
  return stdout.trim()
}

/** What an image says about how it is run. */
export interface ImageConfig {
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
  User: string
  ExposedPorts?: Record<string, object>
  Volumes?: Record<string, object>
  Labels?: Record<string, string>
  Healthcheck?: { Test: string[] }
}

/** Undefined when there is no such image. */
export async function findImage(name: string): Promise<ImageConfig | undefined> {
  const answer = await buildah('inspect', '--type', 'image', name).catch(() => undefined)
  return answer === undefined ? undefined : JSON.parse(answer).Docker.config
}
