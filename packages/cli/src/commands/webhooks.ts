import { CONNECTION_HELP } from '../connection/with-client.ts'
import { type Command, UsageError } from '../usage.ts'
import { ACTIONS } from '../webhooks/actions.ts'
import { readWebhookOptions } from '../webhooks/read-webhook-options.ts'

export const webhooks: Command = {
  help: `stowage webhooks: send the events of the account to your own endpoints

Usage:
  stowage webhooks ls
  stowage webhooks add URL [--type TYPE]… [--description TEXT]
  stowage webhooks show ID
  stowage webhooks enable|disable ID
  stowage webhooks rotate ID
  stowage webhooks rm ID [--yes]
  stowage webhooks ping ID
  stowage webhooks deliveries ID [DELIVERY] [--status STATUS] [--limit N | --all]
  stowage webhooks redeliver ID DELIVERY…

  --type        send only events of this type, such as asset.ready; can be repeated
  --description what the webhook is for
  --status      only deliveries that are pending, succeeded or failed
  -n, --limit   the maximum number of deliveries (default: 25)
  --all         all deliveries
  -y, --yes     do not ask for confirmation. Required if not run in a terminal
${CONNECTION_HELP}
  --json        JSON instead of text

The commands need a key with the scope manage. The secret is shown only once, by add and rotate:
your endpoint verifies the signature of each request with it. After rotate, requests are signed with
both secrets for 24 hours. ping sends a test request, and exits with 1 if the response is not 2xx. A
webhook that failed for 3 days is disabled: fix the endpoint, then run stowage webhooks enable.
list is an alias of ls.

Examples:
  stowage webhooks add https://shop.example/hooks --type asset.ready --type asset.deleted
  stowage webhooks deliveries 01981d2c-5a7e-7d42-9e5f-2a3b4c5d6e7f --status failed
`,
  async run([action, ...commandLine]) {
    const { values, positionals } = readWebhookOptions(commandLine)
    const name = action === 'list' ? 'ls' : action
    if (name !== undefined && Object.hasOwn(ACTIONS, name)) {
      return ACTIONS[name as keyof typeof ACTIONS](values, positionals)
    }
    throw new UsageError(
      action === undefined
        ? `Pass ${Object.keys(ACTIONS).join(', ')}.`
        : `Unknown command webhooks ${action}.`,
    )
  },
}
