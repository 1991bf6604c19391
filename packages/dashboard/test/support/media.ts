import { readFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** A WebM video of 1.5 seconds with 64 × 48 pixels, recorded by Chromium. */
export const VIDEO = readFileSync(join(import.meta.dirname, 'video.webm'))
