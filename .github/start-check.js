/*
 * Starts the service with `npm start` in an empty data folder, requests its pages and `/readyz`, uploads a
 * small file, and stops the service. For systems on which the whole test suite does not run.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const isWindows = process.platform === 'win32'
const data = await mkdtemp(join(tmpdir(), 'stowage-start-'))
const service = spawn('npm', ['start'], {
  env: { ...process.env, STOWAGE_DATA: data, STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0' },
  stdio: ['ignore', 'pipe', 'pipe'],
  // On Windows, npm is a script. Elsewhere, a separate process group allows stopping npm and the service together.
  shell: isWindows,
  detached: !isWindows,
})
const ended = once(service, 'exit')

try {
  const baseUrl = await untilReady()
  for (const path of ['/', '/docs', '/openapi.json', '/readyz']) {
    const { status } = await fetch(baseUrl + path)
    assert.equal(status, 200, path)
  }
  assert.match(await (await fetch(baseUrl)).text(), /<script/, 'the dashboard is built')
  await upload(`${baseUrl}/api/v1/assets`)
  process.stdout.write(`The service works on ${process.platform} ${process.arch}.\n`)
} finally {
  if (isWindows) spawnSync('taskkill', ['/pid', String(service.pid), '/t', '/f'])
  else process.kill(-service.pid, 'SIGTERM')
  await ended
  await rm(data, { recursive: true, force: true, maxRetries: 10 })
}

/** The base URL that the service reports. */
async function untilReady() {
  let output = ''
  return new Promise((resolve, reject) => {
    const read = (text) => {
      output += text
      const [, url] = /Dashboard\s+(http\S+)/.exec(output) ?? []
      if (url !== undefined) resolve(url)
    }
    service.stdout.on('data', read)
    service.stderr.on('data', read)
    service.once('exit', (code) => reject(new Error(`npm start ended with ${code}: ${output}`)))
  })
}

async function upload(assets) {
  const content = 'hello'
  const session = await post(`${assets}/signed`, { name: 'hello.txt', size: content.length })
  const put = await fetch(session.urls[0].url, { method: 'PUT', body: Buffer.from(content) })
  assert.equal(put.status, 200)
  await post(`${assets}/${session.id}/uploaded`, { upload_id: session.upload_id })
  const download = await fetch(`${assets}/${session.id}/download`)
  assert.equal(await download.text(), content)
}

async function post(url, body) {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  assert.ok(response.ok, text)
  return JSON.parse(text)
}
