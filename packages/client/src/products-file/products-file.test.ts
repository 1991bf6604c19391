import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchProducts, compareProducts, parseProductsFile } from './index.ts'

const detailsOf = (text: string | Uint8Array) => {
  const { products, problems } = parseProductsFile(text)
  assert.deepEqual(problems, [])
  return products.map(({ details }) => details)
}
const problemsOf = (text: string | Uint8Array) => parseProductsFile(text).problems

const pack = {
  product_id: 632910392,
  variant_id: 808950810,
  name: 'Sample pack',
  variant_name: 'WAV',
  sku: 'PACK-WAV',
  vendor: 'Stowage Sounds',
  tags: ['audio', 'new'],
}

test('the columns of Stowage are read', () => {
  const text =
    'product_id,variant_id,name,variant_name,sku,vendor,tags\r\n' +
    '632910392,808950810,Sample pack,WAV,PACK-WAV,Stowage Sounds,"audio, new"\r\n'
  assert.deepEqual(detailsOf(text), [pack])
})

test('short names of columns are read, and columns that are not imported are listed', () => {
  const text = 'Product ID,Variant ID,Product,Variant,Tag,Price,,Color\n1,2,Print,A3,art,9.5,,red'
  assert.deepEqual(detailsOf(text), [
    { product_id: 1, variant_id: 2, name: 'Print', variant_name: 'A3', tags: ['art'] },
  ])
  assert.deepEqual(parseProductsFile(text).ignoredColumns, ['Price', 'Color'])
  assert.deepEqual(parseProductsFile('[]').ignoredColumns, [])
})

test('fields without a column or a cell are omitted, and an empty cell is an empty field', () => {
  assert.deepEqual(detailsOf('Product ID,Variant ID,Title\n1,2,Book'), [
    { product_id: 1, variant_id: 2, name: 'Book' },
  ])
  assert.deepEqual(detailsOf('Product ID,Variant ID,Title,Vendor,Tags\n1,2,Book,,\n1,3,Book'), [
    { product_id: 1, variant_id: 2, name: 'Book', vendor: '', tags: [] },
    { product_id: 1, variant_id: 3, name: 'Book' },
  ])
  const json = [
    { product_id: 1, variant_id: 2, name: 'Book', vendor: null, tags: null },
    { id: 1, title: 'Book', tags: null, variants: [{ id: 3, title: 'MP3' }] },
  ]
  assert.deepEqual(detailsOf(JSON.stringify(json)), [
    { product_id: 1, variant_id: 2, name: 'Book', vendor: '', tags: [] },
    { product_id: 1, variant_id: 3, name: 'Book', variant_name: 'MP3', tags: [] },
  ])
})

test('an export with Shopify’s columns and IDs is read, including continuation rows, pictures and descriptions', () => {
  const text =
    '\uFEFFID,Handle,Title,Body (HTML),Vendor,Tags,Option1 Name,Option1 Value,Option2 Value,Variant ID,Variant SKU,Image Src\r\n' +
    '1,pack,Sample pack,"<p>Two,\r\n""lines""</p>",Sounds,"audio, new",Format,WAV,24 bit,11,PACK-WAV,https://a\r\n' +
    ',pack,,,,,,MP3,,12,PACK-MP3,\r\n' +
    ',pack,,,,,,,,,,https://b\r\n' +
    '2,book,A book,,Press,,Title,Default Title,,21,BOOK,\r\n'
  const shared = {
    product_id: 1,
    handle: 'pack',
    name: 'Sample pack',
    vendor: 'Sounds',
    tags: ['audio', 'new'],
  }
  const { products } = parseProductsFile(text)
  assert.deepEqual(detailsOf(text), [
    { ...shared, variant_id: 11, variant_name: 'WAV / 24 bit', sku: 'PACK-WAV' },
    { ...shared, variant_id: 12, variant_name: 'MP3', sku: 'PACK-MP3' },
    {
      product_id: 2,
      variant_id: 21,
      handle: 'book',
      name: 'A book',
      variant_name: '',
      sku: 'BOOK',
      vendor: 'Press',
      tags: [],
    },
  ])
  assert.deepEqual(
    products.map(({ line }) => line),
    [2, 4, 6],
  )
})

test('a file with neither IDs nor handles is one problem, whose message explains what to do', () => {
  const problems = problemsOf('Title,Vendor,Variant SKU\nPack,Sounds,P1\nBook,,B1\n')
  assert.equal(problems.length, 1)
  assert.match(problems[0]?.message ?? '', /“Product ID” and “Variant ID”.+“Handle”/)
  const [half] = problemsOf('ID,Handle,Title\n1,book,Book\n')
  assert.match(half?.message ?? '', /lacks the column “Variant ID”/)
})

/** The columns of Shopify's export, in its order. */
const EXPORT_COLUMNS =
  'Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Option1 Linked To,Option2 Name,Option2 Value,Option2 Linked To,Option3 Name,Option3 Value,Option3 Linked To,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Policy,Variant Fulfillment Service,Variant Price,Variant Compare At Price,Variant Requires Shipping,Variant Taxable,Variant Barcode,Image Src,Image Position,Image Alt Text,Gift Card,SEO Title,SEO Description,Google Shopping / Google Product Category,Variant Image,Variant Weight Unit,Variant Tax Code,Cost per item,Status'.split(
    ',',
  )

/** A file as Shopify exports it: line ends of Unix, and quotes only where they are needed. */
function shopifyExport(
  rows: Partial<Record<string, string>>[],
  { delimiter = ',', lineEnd = '\n' } = {},
): string {
  const quoted = (text: string) => (/["\n,;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const lines = rows.map((row) =>
    EXPORT_COLUMNS.map((name) => quoted(row[name] ?? '')).join(delimiter),
  )
  return [EXPORT_COLUMNS.join(delimiter), ...lines, ''].join(lineEnd)
}

const DRUMS = {
  Handle: 'dusty-drums',
  Title: 'Dusty Drums',
  'Body (HTML)': '<p>Drums, "dusty"</p>\n<ul>\n<li>WAV; MP3</li>\n</ul>',
  Vendor: 'Studio North',
  Type: 'Samples',
  Tags: 'audio, drums',
  Published: 'true',
  'Option1 Name': 'Format',
  'Option1 Value': 'WAV',
  'Variant SKU': 'DRUMS-WAV',
  'Variant Price': '29.00',
  'Image Src': 'https://cdn.shopify.com/s/files/1/drums.jpg?v=1',
  'Image Position': '1',
  Status: 'active',
}
const SHOPIFY_ROWS = [
  DRUMS,
  { Handle: 'dusty-drums', 'Option1 Value': 'MP3', 'Variant SKU': 'DRUMS-MP3' },
  { Handle: 'dusty-drums', 'Image Src': 'https://cdn.shopify.com/2.jpg', 'Image Position': '2' },
  {
    Handle: 'e-book',
    Title: 'How to mix',
    'Option1 Name': 'Title',
    'Option1 Value': 'Default Title',
    Status: 'draft',
  },
  {
    Handle: 'shirt',
    Title: 'Shirt',
    'Option1 Value': 'S',
    'Option2 Value': 'Red',
    'Variant SKU': 'SHIRT',
  },
  { Handle: 'shirt', 'Option1 Value': 'M', 'Option2 Value': 'Red', 'Variant SKU': 'SHIRT' },
]
const drums = {
  handle: 'dusty-drums',
  name: 'Dusty Drums',
  vendor: 'Studio North',
  tags: ['audio', 'drums'],
}
const shirt = { handle: 'shirt', name: 'Shirt', vendor: '', tags: [], sku: 'SHIRT' }
const SHOPIFY_DETAILS = [
  { ...drums, variant_name: 'WAV', sku: 'DRUMS-WAV' },
  { ...drums, variant_name: 'MP3', sku: 'DRUMS-MP3' },
  { handle: 'e-book', name: 'How to mix', variant_name: '', sku: '', vendor: '', tags: [] },
  // Several variants have this SKU, so that it identifies none of them.
  { ...shirt, variant_name: 'S / Red', match_by: 'handle' },
  { ...shirt, variant_name: 'M / Red', match_by: 'handle' },
]

test('Shopify’s own export is read by handle and SKU, with its pictures and descriptions', () => {
  const plain = shopifyExport(SHOPIFY_ROWS)
  assert.deepEqual(detailsOf(plain), SHOPIFY_DETAILS)
  const { ignoredColumns, products } = parseProductsFile(plain)
  assert.ok(ignoredColumns.includes('Body (HTML)') && !ignoredColumns.includes('Handle'))
  // The description of the first product takes four lines.
  assert.deepEqual(
    products.map(({ line }) => line),
    [2, 6, 8, 9, 10],
  )
  const saved = shopifyExport(SHOPIFY_ROWS, { delimiter: ';', lineEnd: '\r\n' })
  for (const other of [`\uFEFF${plain}`, saved, `\uFEFF${saved}`]) {
    assert.deepEqual(detailsOf(new Uint8Array(Buffer.from(other))), SHOPIFY_DETAILS)
  }
})

test('rows of a product that were separated by sorting still belong to it', () => {
  const [first, second, , book, ...shirts] = SHOPIFY_ROWS
  const rows = [first, book, ...shirts, second].filter((row) => row !== undefined)
  const found = detailsOf(shopifyExport(rows))
  assert.deepEqual(new Set(found), new Set(SHOPIFY_DETAILS))
  assert.equal(found.length, SHOPIFY_DETAILS.length)
})

test('a row without a handle, and a variant that occurs twice, are reported with their lines', () => {
  const rows = [
    { Handle: 'book', Title: 'Book' },
    { Title: 'Lost' },
    { Handle: 'book', Title: 'Book' },
  ]
  assert.deepEqual(problemsOf(shopifyExport(rows)), [
    { line: 3, message: 'The handle is missing.' },
    { line: 4, message: 'The product and variant are the same as in line 2.' },
  ])
})

test('reading Shopify’s export of 100,000 variants takes less than 10 seconds of CPU time', () => {
  const rows = Array.from({ length: 100_000 }, (_, index) =>
    index % 2 === 0
      ? { ...DRUMS, Handle: `drums-${index}`, 'Variant SKU': `A-${index}` }
      : {
          Handle: `drums-${index - 1}`,
          'Option1 Value': 'MP3',
          'Variant SKU': `A-${index}`,
        },
  )
  const text = shopifyExport(rows)
  const before = process.threadCpuUsage()
  const { products, problems } = parseProductsFile(text)
  assert.deepEqual([products.length, problems.length], [100_000, 0])
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 10_000_000, `${user + system} µs`)
})

test('each field that the service would refuse is reported with its line and its value', () => {
  const text =
    'Product ID,Variant ID,Title,Tags\n' +
    'x,2,Book,\n' +
    '1,,Book,\n' +
    '6.3E+11,2,Book,\n' +
    '9007199254740993,2,Book,\n' +
    '1,2, ,\n' +
    `1,3,${'n'.repeat(256)},\n` +
    '1,4,"two\nlines",\n' +
    `1,5,Book,"${Array.from({ length: 251 }, (_, index) => index).join(',')}"\n` +
    '1,6,Good,\n'
  const { products, problems } = parseProductsFile(text)
  assert.deepEqual(
    problems.map(({ line, field, value }) => [line, field, value?.slice(0, 16)]),
    [
      [2, 'product_id', 'x'],
      [3, 'variant_id', ''],
      [4, 'product_id', '6.3E+11'],
      [5, 'product_id', '9007199254740993'],
      [6, 'name', ''],
      [7, 'name', 'n'.repeat(16)],
      [8, 'name', 'two\nlines'],
      [10, 'tags', '0,1,2,3,4,5,6,7,'],
    ],
  )
  assert.match(problems[2]?.message ?? '', /was rounded by a spreadsheet/)
  assert.deepEqual(products, [
    { line: 11, details: { product_id: 1, variant_id: 6, name: 'Good', tags: [] } },
  ])
})

test('a problem names the column as the header of the file does', () => {
  const columnsOf = (text: string) => problemsOf(text).map(({ field, column }) => [field, column])
  const long = 'n'.repeat(256)
  assert.deepEqual(columnsOf(` ID ,variant_id,Product  Title,Variant SKU\nx,y,,${long}`), [
    ['product_id', 'ID'],
    ['variant_id', 'variant_id'],
    ['name', 'Product Title'],
    ['sku', 'Variant SKU'],
  ])
  assert.deepEqual(columnsOf(`ID,Variant ID,Title,Option1 Value\n1,2,Book,${long}`), [
    ['variant_name', 'Option1 Value'],
  ])
  assert.deepEqual(columnsOf('[{"product_id":1,"variant_id":2,"name":""}]'), [['name', undefined]])
})

test('a duplicate variant is reported with the line of the first one', () => {
  const { products, problems } = parseProductsFile(
    'Product ID,Variant ID,Title\n1,2,Book\n1,3,Book\n1,2,Again',
  )
  assert.equal(products.length, 2)
  assert.deepEqual(problems, [
    { line: 4, message: 'The product and variant are the same as in line 2.' },
  ])
})

test('a row with more fields than the header is reported', () => {
  const problems = problemsOf('Product ID,Variant ID,Title\n1,2,Book, with a comma')
  assert.deepEqual(
    problems.map(({ line }) => line),
    [2],
  )
  assert.match(problems[0]?.message ?? '', /more fields than the header/)
})

test('IDs in the format of Shopify’s GraphQL API are read', () => {
  const text =
    'Product ID,Variant ID,Title\ngid://shopify/Product/7,gid://shopify/ProductVariant/8,Book'
  assert.deepEqual(detailsOf(text), [{ product_id: 7, variant_id: 8, name: 'Book' }])
})

test('names in any script are kept unchanged, including 255 characters outside the BMP', () => {
  for (const name of ['عينة صوتية', '😀'.repeat(255), '<img src=x onerror=alert(1)>', '=1+1']) {
    assert.deepEqual(detailsOf(`Product ID,Variant ID,Title\n1,2,${name}`), [
      { product_id: 1, variant_id: 2, name },
    ])
  }
})

test('JSON can be a list for putProducts, or a response of the API with a list or a single product', () => {
  const shown = { ...pack, id: '01981d2c-5a7e-7a10-b2c3-d4e5f6071829', assets: [] }
  for (const content of [[pack], { products: [pack] }, { data: [shown], meta: {} }, shown]) {
    const isAlone = content === shown
    assert.deepEqual(detailsOf(JSON.stringify(isAlone ? { data: shown } : content)), [pack])
  }
})

test('Shopify’s products.json is read', () => {
  const text = JSON.stringify({
    products: [
      {
        id: 632910392,
        title: 'Sample pack',
        vendor: 'Stowage Sounds',
        tags: ['audio', 'new'],
        variants: [{ id: 808950810, title: 'WAV', sku: 'PACK-WAV' }],
      },
      {
        id: 2,
        title: 'Book',
        tags: 'a, b',
        variants: [{ id: 21, title: 'Default Title', sku: null }],
      },
    ],
  })
  const book = { product_id: 2, variant_id: 21, name: 'Book' }
  assert.deepEqual(detailsOf(text), [
    pack,
    { ...book, variant_name: '', sku: '', tags: ['a', 'b'] },
  ])
})

test('problems in JSON are reported with the index in the list', () => {
  const problems = problemsOf(JSON.stringify([pack, 7, { ...pack, variant_id: 1, sku: {} }, pack]))
  assert.deepEqual(problems, [
    { line: 2, message: 'The entry is not a product.' },
    { line: 3, field: 'sku', value: '{}', message: 'must be a string' },
    { line: 4, message: 'The product and variant are the same as in entry 1.' },
  ])
})

test('a file that contains no list of products is one problem', () => {
  const xlsx = new Uint8Array([0x50, 0x4b, 3, 4, 0xff, 0xfe, 0, 0])
  for (const file of ['', '\n\n', '[', '{}', '{"products": 1}', '[]', 'hello', xlsx]) {
    const { products, problems } = parseProductsFile(file)
    assert.deepEqual(products, [])
    assert.equal(problems.length, 1, JSON.stringify(file))
  }
})

test('bytes are read as UTF-8, or as UTF-16 with a byte order mark; any other encoding is a problem', () => {
  const text = '\uFEFFProduct ID,Variant ID,Title\n1,2,Café'
  const cafe = [{ product_id: 1, variant_id: 2, name: 'Café' }]
  assert.deepEqual(detailsOf(new Uint8Array(Buffer.from(text, 'utf8'))), cafe)
  assert.deepEqual(detailsOf(new Uint8Array(Buffer.from(text, 'utf16le'))), cafe)
  assert.match(problemsOf(new Uint8Array(Buffer.from(text, 'latin1')))[0]?.message ?? '', /UTF-8/)
})

test('reading a file of 100,000 products takes less than 5 seconds of CPU time', () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `${index},1,"Name, ${index}","a,b"`)
  const before = process.threadCpuUsage()
  const { products } = parseProductsFile(`Product ID,Variant ID,Title,Tags\n${lines.join('\n')}`)
  assert.equal(products.length, 100_000)
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 5_000_000, `${user + system} µs`)
})

const details = {
  product_id: 1,
  variant_id: 2,
  name: 'Pack',
  variant_name: 'WAV',
  sku: 'P',
  vendor: 'V',
  tags: ['a', 'b'],
}
const stored = { ...details, id: '01981d2c-5a7e-7a10-b2c3-d4e5f6071829' }

test('a product is new, unchanged, or changed in the fields that differ', () => {
  const compared = compareProducts(
    [
      { line: 2, details },
      { line: 3, details: { ...details, variant_id: 3 } },
    ],
    [stored],
  )
  assert.deepEqual(
    compared.map(({ line, outcome }) => [line, outcome]),
    [
      [2, 'unchanged'],
      [3, 'new'],
    ],
  )
  const [changed] = compareProducts([{ line: 2, details: { ...details, tags: ['b'] } }], [stored])
  assert.equal(changed?.outcome, 'changed')
  assert.deepEqual(changed?.changes, [{ field: 'tags', before: 'a, b', after: 'b' }])
})

test('a missing field is no change, but an empty field is', () => {
  const { vendor: _, ...rest } = details
  const [same] = compareProducts([{ line: 2, details: rest }], [stored])
  assert.deepEqual([same?.outcome, same?.changes, same?.stored], ['unchanged', [], stored])
  const [changed] = compareProducts([{ line: 2, details: { ...rest, vendor: '' } }], [stored])
  assert.deepEqual(changed?.changes, [{ field: 'vendor', before: 'V', after: '' }])
})

test('products without IDs are compared by their SKU, or by their names if they have no IDs in the shop yet', () => {
  const { product_id: _, variant_id: __, ...rest } = details
  const provisional = { ...stored, product_id: 2 ** 52, variant_id: 2 ** 52 + 1, sku: '' }
  const outcomes = (file: object, existing: object[]) =>
    compareProducts(
      [{ line: 2, details: { ...rest, handle: 'pack', ...file } }],
      existing as (typeof stored)[],
    ).map(({ outcome }) => outcome)
  assert.deepEqual(outcomes({}, [stored]), ['unchanged'])
  assert.deepEqual(outcomes({ name: 'Other' }, [stored]), ['changed'])
  assert.deepEqual(outcomes({ sku: 'OTHER' }, [stored]), ['new'])
  assert.deepEqual(outcomes({}, [stored, { ...stored, variant_id: 3 }]), ['new'])
  assert.deepEqual(outcomes({ sku: '' }, [provisional]), ['unchanged'])
  assert.deepEqual(outcomes({ sku: '' }, [stored]), ['new'])
})

test('a tag with a comma is different from two tags', () => {
  const [changed] = compareProducts(
    [{ line: 2, details: { ...details, tags: ['a, b'] } }],
    [stored],
  )
  assert.deepEqual(changed?.changes, [{ field: 'tags', before: 'a, b', after: '“a, b”' }])
})

const aProduct = (line: number, tags: string[] = []) => ({
  line,
  details: { product_id: 1, variant_id: line, name: 'Pack', tags },
})

test('a batch has at most 1,000 products, in order', () => {
  const products = Array.from({ length: 2500 }, (_, index) => aProduct(index))
  const batches = batchProducts(products)
  assert.deepEqual(
    batches.map(({ length }) => length),
    [1000, 1000, 500],
  )
  assert.deepEqual(batches.flat(), products)
  assert.deepEqual(batchProducts([]), [])
})

test('a batch fits into a request, however long its products are', () => {
  const tags = Array.from({ length: 250 }, () => '…'.repeat(255))
  const batches = batchProducts(Array.from({ length: 100 }, (_, line) => aProduct(line, tags)))
  assert.equal(batches.flat().length, 100)
  for (const batch of batches) {
    const body = JSON.stringify({ products: batch.map(({ details }) => details) })
    assert.ok(Buffer.byteLength(body) < 8 * 1024 * 1024)
  }
})

test('a batch has no more tags than the service accepts', () => {
  const tags = Array.from({ length: 250 }, (_, index) => `${index}`)
  const batches = batchProducts(Array.from({ length: 250 }, (_, line) => aProduct(line, tags)))
  assert.deepEqual(
    batches.map(({ length }) => length),
    [100, 100, 50],
  )
})
