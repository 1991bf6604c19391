import { CONNECTION_HELP } from '../connection/with-client.ts'
import { changeAttachments } from '../products/change-attachments.ts'
import type { Command } from '../usage.ts'

export const attach: Command = {
  help: `stowage attach: attach assets to products

Usage:
  stowage attach ID|NAME… --to SKU|ID|WORDS…

  --to          a SKU (all variants with it), the shop's ID of a product (all of its variants) or of
                a variant, or the product's ID in Stowage. If a number is ambiguous, write sku:X,
                product:X, variant:X or id:X. Any other text is searched as words of the name,
                variant, SKU or vendor, and must match exactly one product
${CONNECTION_HELP}
  --json        one JSON object per line: the asset with its products, or {asset, error}

If an asset or a product does not exist, nothing changes. Attaching a product again has no effect.

Examples:
  stowage attach sample-pack.zip --to PACK-WAV
  stowage attach a.zip b.zip --to PACK-WAV 632910392
  stowage attach a.zip --to "dusty drums"
`,
  run: (commandLine) =>
    changeAttachments(commandLine, {
      option: 'to',
      change: (client, id, products) => client.attach(id, products),
    }),
}
