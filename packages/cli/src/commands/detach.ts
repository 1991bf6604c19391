import { CONNECTION_HELP } from '../connection/with-client.ts'
import { changeLinks } from '../products/change-links.ts'
import type { Command } from '../usage.ts'

export const detach: Command = {
  help: `stowage detach: take assets off products

Usage:
  stowage detach ID|NAME… --from SKU|ID…

  --from      a SKU, the shop's id of a product or of a variant, or the product's id here; as in
              stowage attach
${CONNECTION_HELP}
  --json      the assets with the products they still have, one JSON object a line

Examples:
  stowage detach sample-pack.zip --from PACK-WAV
`,
  run: (commandLine) =>
    changeLinks(commandLine, {
      option: 'from',
      change: (client, id, products) => client.detach(id, products),
    }),
}
