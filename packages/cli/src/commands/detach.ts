import { CONNECTION_HELP } from '../connection/with-client.ts'
import { changeAttachments } from '../products/change-attachments.ts'
import type { Command } from '../usage.ts'

export const detach: Command = {
  help: `stowage detach: detach assets from products

Usage:
  stowage detach ID|NAME… --from SKU|ID|WORDS…

  --from        a SKU, the shop's ID of a product or of a variant, the product's ID in Stowage, or
                words, as in stowage attach
${CONNECTION_HELP}
  --json        one JSON object per line: the asset with its remaining products, or {asset, error}

If an asset or a product does not exist, nothing changes. Detaching a product that is not attached
has no effect.

Examples:
  stowage detach sample-pack.zip --from PACK-WAV
`,
  run: (commandLine) =>
    changeAttachments(commandLine, {
      option: 'from',
      change: (client, id, products) => client.detach(id, products),
    }),
}
