import type { Page } from 'playwright-core'

/** A page with one line of text. */
export const PDF = [
  '%PDF-1.4',
  '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
  '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj',
  '4 0 obj<</Length 38>>stream',
  'BT /F 24 Tf 40 100 Td (A preview) Tj ET',
  'endstream endobj',
  '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
  'trailer<</Root 1 0 R>>',
].join('\n')

const BYTES_PER_SECOND = 192_000

/** Silence of this length, as a WAV file. */
export function aWave(seconds: number): Uint8Array<ArrayBuffer> {
  const size = seconds * BYTES_PER_SECOND
  const wave = Buffer.alloc(44 + size)
  wave.write('RIFF    WAVEfmt ')
  wave.writeUInt32LE(36 + size, 4)
  wave.writeUInt32LE(16, 16)
  wave.writeUInt16LE(1, 20)
  wave.writeUInt16LE(2, 22)
  wave.writeUInt32LE(48_000, 24)
  wave.writeUInt32LE(BYTES_PER_SECOND, 28)
  wave.writeUInt16LE(4, 32)
  wave.writeUInt16LE(16, 34)
  wave.write('data', 36)
  wave.writeUInt32LE(size, 40)
  return new Uint8Array(wave)
}

/** Records a canvas with the browser's own recorder. */
const RECORD = `(async (ms) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 })
  const pen = canvas.getContext('2d')
  const drawing = setInterval(() => {
    pen.fillStyle = 'hsl(' + performance.now() % 360 + ' 80% 50%)'
    pen.fillRect(0, 0, 64, 48)
  }, 20)
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' })
  const recorded = new Promise((resolve) => { recorder.ondataavailable = resolve })
  recorder.start()
  setTimeout(() => recorder.stop(), ms)
  const { data } = await recorded
  clearInterval(drawing)
  return Array.from(new Uint8Array(await data.arrayBuffer()))
})`

/** A WebM video that the browser has recorded. */
export async function aVideo(page: Page, ms: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await page.evaluate<number[]>(`${RECORD}(${ms})`))
}
