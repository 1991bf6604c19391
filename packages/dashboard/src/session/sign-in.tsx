import {
  Anchor,
  Center,
  Checkbox,
  Code,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { isStowageError } from '@stowage/client'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { Logo, useTitle } from '../components/page.tsx'
import { errorText } from '../format.ts'
import { signIn } from './session-calls.ts'
import classes from './sign-in.module.css'

interface Props {
  /** The service rejected a session that was valid until then. */
  hasEnded: boolean
  onSignedIn(): void
}

const COMMAND = 'npx stowage keys add --name dashboard --scope manage'

/** A form that password managers recognize: they save each key under its last characters. */
export function SignIn({ hasEnded, onSignedIn }: Props) {
  useTitle('Sign in')
  const [key, setKey] = useState('')
  const [isRemembered, setRemembered] = useState(false)
  const [isTrying, setTrying] = useState(false)
  const [problem, setProblem] = useState(
    hasEnded ? 'Your session has ended. Sign in again.' : undefined,
  )

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    setTrying(true)
    try {
      await signIn(key.trim(), { isRemembered })
      onSignedIn()
    } catch (error) {
      setProblem(problemText(error))
      setTrying(false)
    }
  }

  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={440}>
        <form onSubmit={submit} method="post">
          <Stack>
            <Group gap="sm">
              <Logo size={32} />
              <Title order={1} size="h3">
                Sign in to Stowage
              </Title>
            </Group>
            <input
              type="text"
              name="username"
              autoComplete="username"
              value={hintOf(key)}
              readOnly
              hidden
            />
            <PasswordInput
              label="API key"
              name="password"
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={problem && <span role="alert">{problem}</span>}
              autoComplete="current-password"
              autoFocus
              required
            />
            <Checkbox
              label="Stay signed in for 30 days"
              description="Otherwise you are signed out when you close the browser, or after 7 days."
              checked={isRemembered}
              onChange={(event) => setRemembered(event.currentTarget.checked)}
            />
            <ActionButton isBusy={isTrying} disabled={key.trim() === ''}>
              Sign in
            </ActionButton>
            <div className={classes.help}>
              <Text size="sm" c="dimmed">
                No key yet? On the server, in the folder of the service, run:
              </Text>
              <Code block className={classes.command}>
                {COMMAND}
              </Code>
              <Text size="sm" c="dimmed">
                The new key is printed only once. To use the service without the dashboard, see the{' '}
                <Anchor href="/docs" underline="always">
                  API reference
                </Anchor>
                .
              </Text>
            </div>
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}

/** The service shows keys by their last characters too. */
function hintOf(key: string): string {
  return `Key …${key.trim().slice(-4)}`
}

function problemText(error: unknown): string {
  if (isStowageError(error, 'unauthenticated')) return 'Invalid API key.'
  // If the browser kept no session (`network` with a status), `errorText` would call the service unreachable.
  if (isStowageError(error) && error.status > 0) return error.message
  return errorText(error)
}
