import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A separate image store, so that the base image made here does not replace the user's. */
const STORE = join(tmpdir(), 'stowage-images')

export function buildahArguments(...words: string[]): string[] {
  return ['--root', join(STORE, 'root'), '--runroot', join(STORE, 'run'), ...words]
}

/** Runs buildah and returns its standard output. */
export async function buildah(...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('buildah', buildahArguments(...words), {
    maxBuffer: 2 ** 26,
  })
  return stdout.trim()
}

/** The runtime configuration of an image. */
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

/** Returns undefined if the image does not exist. */
export async function findImage(name: string): Promise<ImageConfig | undefined> {
  const response = await buildah('inspect', '--type', 'image', name).catch(() => undefined)
  return response === undefined ? undefined : JSON.parse(response).Docker.config
}
