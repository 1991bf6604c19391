/*
 * QR codes (ISO/IEC 18004) for URLs: bytes, error correction level M, versions 1 to 20. See
 * docs/decisions/0051-qr-codes.md.
 */

/** By version: error correction bytes of each block, and the number of blocks. */
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]
/** Of the format information: level M. */
const LEVEL = 0

/** The modules of the QR code by row: true is dark. Undefined if the text is too long. */
export function qrCode(text: string): boolean[][] | undefined {
  const bytes = new TextEncoder().encode(text)
  const version = CORRECTION.findIndex((_, at) => dataBits(at + 1) >= neededBits(bytes, at + 1)) + 1
  if (version === 0) return undefined
  const grid = drawPatterns(version)
  drawData(grid, interleave(version, encode(bytes, version)))
  const masked = MASKS.map((mask, number) => applyMask(grid, mask, number))
  return masked.reduce((best, it) => (penalty(it) < penalty(best) ? it : best)).dark
}

const sizeOf = (version: number) => version * 4 + 17
const lengthBits = (version: number) => (version < 10 ? 8 : 16)
const neededBits = (bytes: Uint8Array, version: number) =>
  4 + lengthBits(version) + bytes.length * 8

/** The number of bits for data and error correction. */
function rawBits(version: number): number {
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2
  const bits = (16 * version + 128) * version + 64
  const aligned = alignments === 0 ? 0 : (25 * alignments - 10) * alignments - 55
  return bits - aligned - (version < 7 ? 0 : 36)
}

const correctionOf = (version: number) => CORRECTION[version - 1] ?? 0
const blocksOf = (version: number) => BLOCKS[version - 1] ?? 0
const dataBits = (version: number) =>
  (Math.floor(rawBits(version) / 8) - correctionOf(version) * blocksOf(version)) * 8

/** The text as bytes of data, filled up to the capacity. */
function encode(bytes: Uint8Array, version: number): number[] {
  const capacity = dataBits(version)
  const bits = [...bitsOf(4, 4), ...bitsOf(bytes.length, lengthBits(version))]
  for (const byte of bytes) bits.push(...bitsOf(byte, 8))
  bits.push(...bitsOf(0, Math.min(4, capacity - bits.length)))
  bits.push(...bitsOf(0, -bits.length & 7))
  for (let padding = 0xec; bits.length < capacity; padding ^= 0xec ^ 0x11) {
    bits.push(...bitsOf(padding, 8))
  }
  return Array.from({ length: bits.length / 8 }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  )
}

const bitsOf = (value: number, count: number) =>
  Array.from({ length: count }, (_, at) => (value >>> (count - 1 - at)) & 1)

/** The data in blocks, each with its error correction, in the order in which they are drawn. */
function interleave(version: number, data: number[]): number[] {
  const count = blocksOf(version)
  const divisor = divisorOf(correctionOf(version))
  const shortLength = Math.floor(data.length / count)
  const shortCount = count - (data.length % count)
  const blocks = Array.from({ length: count }, (_, at) => {
    const start = at * shortLength + Math.max(0, at - shortCount)
    const block = data.slice(start, start + shortLength + (at < shortCount ? 0 : 1))
    return { block, correction: remainderOf(block, divisor) }
  })
  const columns = (lists: number[][]) =>
    Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, at) =>
      lists.flatMap((list) => list[at] ?? []),
    ).flat()
  return [
    ...columns(blocks.map(({ block }) => block)),
    ...columns(blocks.map(({ correction }) => correction)),
  ]
}

/** In the field of 256 elements, modulo x⁸ + x⁴ + x³ + x² + 1. */
function multiply(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((b >>> bit) & 1) * a
  }
  return product
}

/** The Reed-Solomon generator polynomial of this degree, without its first coefficient. */
function divisorOf(degree: number): number[] {
  const result = Array<number>(degree).fill(0)
  result[degree - 1] = 1
  let root = 1
  for (let round = 0; round < degree; round++) {
    for (let at = 0; at < degree; at++) {
      result[at] = multiply(result[at] ?? 0, root) ^ (result[at + 1] ?? 0)
    }
    root = multiply(root, 2)
  }
  return result
}

function remainderOf(data: number[], divisor: number[]): number[] {
  const result = divisor.map(() => 0)
  for (const byte of data) {
    const factor = byte ^ (result.shift() ?? 0)
    result.push(0)
    divisor.forEach((coefficient, at) => {
      result[at] = (result[at] ?? 0) ^ multiply(coefficient, factor)
    })
  }
  return result
}

interface Grid {
  dark: boolean[][]
  /** Modules that are not data, and so are not masked. */
  isFixed: boolean[][]
}

function set({ dark, isFixed }: Grid, x: number, y: number, isDark: boolean): void {
  const row = dark[y]
  const fixed = isFixed[y]
  if (row === undefined || fixed === undefined || x < 0 || x >= row.length) return
  row[x] = isDark
  fixed[x] = true
}

function drawPatterns(version: number): Grid {
  const size = sizeOf(version)
  const square = () => Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  const grid: Grid = { dark: square(), isFixed: square() }
  for (let at = 0; at < size; at++) {
    set(grid, 6, at, at % 2 === 0)
    set(grid, at, 6, at % 2 === 0)
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    drawRings(grid, { x, y, radius: 4, light: [2, 4] })
  }
  const positions = alignmentsOf(version)
  for (const x of positions) {
    for (const y of positions) {
      const isCorner = (x === 6 && (y === 6 || y === size - 7)) || (y === 6 && x === size - 7)
      if (!isCorner) drawRings(grid, { x, y, radius: 2, light: [1] })
    }
  }
  drawFormat(grid, 0)
  drawVersion(grid, version)
  return grid
}

interface Rings {
  x: number
  y: number
  radius: number
  light: readonly number[]
}

function drawRings(grid: Grid, { x, y, radius, light }: Rings): void {
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      set(grid, x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))))
    }
  }
}

function alignmentsOf(version: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2
  const last = sizeOf(version) - 7
  return [6, ...Array.from({ length: count - 1 }, (_, at) => last - at * step).reverse()]
}

/** Appends the remainder of a division by the generator, as in the two short codes of the standard. */
function withCheck(value: number, bits: number, generator: number): number {
  let rest = value
  for (let round = 0; round < bits; round++)
    rest = (rest << 1) ^ ((rest >>> (bits - 1)) * generator)
  return (value << bits) | rest
}

/** Twice: around the first corner, and beside the two others. */
function drawFormat(grid: Grid, mask: number): void {
  const size = grid.dark.length
  const code = withCheck((LEVEL << 3) | mask, 10, 0x537) ^ 0x5412
  const bit = (at: number) => ((code >>> at) & 1) === 1
  for (let at = 0; at < 15; at++) {
    if (at < 8) {
      set(grid, 8, at < 6 ? at : at + 1, bit(at))
      set(grid, size - 1 - at, 8, bit(at))
    } else {
      set(grid, at === 8 ? 7 : 14 - at, 8, bit(at))
      set(grid, 8, size - 15 + at, bit(at))
    }
  }
  set(grid, 8, size - 8, true)
}

function drawVersion(grid: Grid, version: number): void {
  if (version < 7) return
  const code = withCheck(version, 12, 0x1f25)
  for (let at = 0; at < 18; at++) {
    const a = grid.dark.length - 11 + (at % 3)
    const b = Math.floor(at / 3)
    set(grid, a, b, ((code >>> at) & 1) === 1)
    set(grid, b, a, ((code >>> at) & 1) === 1)
  }
}

/** In columns of two, upward and downward in turn, from the right. */
function drawData({ dark, isFixed }: Grid, data: number[]): void {
  const bits = data.flatMap((byte) => bitsOf(byte, 8))
  const size = dark.length
  let isUpward = true
  for (let right = size - 1; right > 0; right -= 2) {
    // The vertical timing pattern.
    if (right === 6) right = 5
    for (let step = 0; step < size; step++) {
      const y = isUpward ? size - 1 - step : step
      for (const x of [right, right - 1]) {
        const row = dark[y]
        if (row !== undefined && !isFixed[y]?.[x]) row[x] = bits.shift() === 1
      }
    }
    isUpward = !isUpward
  }
}

type Mask = (x: number, y: number) => boolean

const MASKS: readonly Mask[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

function applyMask({ dark, isFixed }: Grid, mask: Mask, number: number): Grid {
  const masked = dark.map((row, y) => row.map((it, x) => it !== (!isFixed[y]?.[x] && mask(x, y))))
  const grid = { dark: masked, isFixed }
  drawFormat(grid, number)
  return grid
}

/** Long runs, squares, patterns that look like a corner, and an unequal share of dark modules are hard to read. */
function penalty({ dark }: Grid): number {
  const columns = dark.map((_, x) => dark.map((row) => row[x] ?? false))
  const lines = [...dark, ...columns].map((line) => line.map(Number).join(''))
  const size = dark.length
  let sum = 0
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2
    sum += 40 * [...line.matchAll(/(?=00001011101|10111010000)/g)].length
  }
  for (let y = 1; y < size; y++) {
    for (let x = 1; x < size; x++) {
      const it = dark[y]?.[x]
      const isSquare = [dark[y - 1]?.[x], dark[y]?.[x - 1], dark[y - 1]?.[x - 1]].every(
        (other) => other === it,
      )
      if (isSquare) sum += 3
    }
  }
  const share = dark.flat().filter(Boolean).length / (size * size)
  return sum + 10 * Math.floor(Math.abs(share * 20 - 10))
}
