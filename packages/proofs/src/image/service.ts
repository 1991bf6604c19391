import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import type { UploadSession } from '@stowage/protocol'
import { until } from '@stowage/testing/machine/until'
import { callJson } from '@stowage/testing/service/service'
import { API, putPart, someBytes } from '@stowage/testing/service/upload'
import { type Container, type ContainerOptions, IMAGE, runContainer } from './container.ts'

/** The minimum part size of S3. */
const CHUNK = 5 * 2 ** 20
/** Three parts. */
export const FILE = someBytes(12_000_000)

export interface ContainedService extends Container {
  baseUrl: string
  key: string
}

/** Starts the service in a container and waits until it responds. */
export async function aServiceInContainer(
  t: TestContext,
  options: ContainerOptions,
): Promise<ContainedService> {
  const begin = performance.now()
  const container = await runContainer(t, options)
  const { STOWAGE_ADMIN_KEY: key = '', STOWAGE_BASE_URL: baseUrl = '' } = options.environment
  let isRunning = true
  container.ended.then(() => {
    isRunning = false
  })
  await until('the service responds', async () => {
    if (!isRunning) throw new Error(`The container ended: ${container.output()}`)
    return fetch(`${baseUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  })
  const ms = Math.round(performance.now() - begin)
  const status = await readFile(`/proc/${await container.pid()}/status`, 'utf8')
  const memory = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
  t.diagnostic(`a container started: first response after ${ms} ms, ${memory} MB of memory`)
  return { ...container, baseUrl, key }
}

export function call(service: ContainedService, method: string, path: string, body?: unknown) {
  const headers = { Authorization: `Bearer ${service.key}` }
  return callJson(`${service.baseUrl}${API}${path}`, { method, body, headers })
}

export async function requestSession(service: ContainedService): Promise<UploadSession> {
  const body = { name: 'film.bin', size: FILE.length, chunk_size: CHUNK }
  const response = await call(service, 'POST', '/assets/signed', body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  assert.equal(response.body.urls.length, 3)
  return response.body
}

/** Sends these parts of the file. */
export async function send(urls: UploadSession['urls']): Promise<void> {
  for (const { url, start, end } of urls) {
    assert.notEqual(new URL(url).hostname, '0.0.0.0', 'only this machine could send parts there')
    const response = await putPart(url, FILE.subarray(start, end))
    assert.equal(response.status, 200, await response.text())
  }
}

/** Returns the received parts, and newly signed URLs for the missing ones. */
export async function resume(service: ContainedService, id: string) {
  const { status, body } = await call(service, 'GET', `/assets/${id}/upload`)
  assert.equal(status, 200, JSON.stringify(body))
  const received: number[] = body.received.map(
    ({ PartNumber }: { PartNumber: number }) => PartNumber,
  )
  return { received, urls: body.urls as UploadSession['urls'] }
}

export async function complete(service: ContainedService, session: UploadSession): Promise<void> {
  const body = { upload_id: session.upload_id }
  const response = await call(service, 'POST', `/assets/${session.id}/uploaded`, body)
  assert.equal(response.status, 200, JSON.stringify(response.body))
}

export async function downloadUrl(service: ContainedService, id: string): Promise<string> {
  const { status, headers } = await call(service, 'GET', `/assets/${id}/download`)
  assert.equal(status, 302)
  return headers.get('location') ?? ''
}

export async function expectStored(service: ContainedService, id: string): Promise<void> {
  const response = await fetch(await downloadUrl(service, id))
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(FILE))
}

/** Runs the image's health check as Docker does, optionally with other settings. */
export function checkHealth(container: Container, ...settings: string[]) {
  const [kind, ...words] = IMAGE.config.Healthcheck?.Test ?? []
  assert.equal(kind, 'CMD')
  return container.exec('env', ...settings, ...words)
}

/** Checks the page of the dashboard, every file that it loads, and the API reference. */
export async function expectDashboard({ baseUrl }: ContainedService): Promise<void> {
  const page = await (await fetch(baseUrl)).text()
  const parts = [...page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path]) => path)
  assert.ok(parts.length >= 2, page)
  for (const path of [...parts, '/docs']) {
    assert.equal((await fetch(new URL(path ?? '', baseUrl))).status, 200, path)
  }
}
