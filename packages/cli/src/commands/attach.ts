import { CONNECTION_HELP } from '../connection/with-client.ts'
import { changeLinks } from '../products/change-links.ts'
import type { Command } from '../usage.ts'

export const attach: Command = {
  help: `stowage attach: link assets to products

Usage:
  stowage attach ID|NAME… --to SKU|ID…

  --to        a SKU (all variants that have it), the shop's id of a product (all of its variants)
              or of a variant, or the product's id here; sku:X, product:X, variant:X where a number
              could be several of them
${CONNECTION_HELP}
  --json      the assets with their products, one JSON object a line

What is unknown is said before anything is changed. Doing it again is no error.

Examples:
  stowage attach sample-pack.zip --to PACK-WAV
  stowage attach a.zip b.zip --to PACK-WAV 632910392
`,
  run: (commandLine) =>
    changeLinks(commandLine, {
      option: 'to',
      change: (client, id, products) => client.attach(id, products),
    }),
}
