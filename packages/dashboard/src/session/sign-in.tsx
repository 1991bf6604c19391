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
import { LanguageMenu } from '../components/language-menu.tsx'
import { Logo, useTitle } from '../components/page.tsx'
import { errorText } from '../format.ts'
import { session as texts } from '../i18n/en/session.ts'
import { fill, rich } from '../i18n/texts.ts'
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
  useTitle(texts.title)
  const [key, setKey] = useState('')
  const [isRemembered, setRemembered] = useState(false)
  const [isTrying, setTrying] = useState(false)
  const [problem, setProblem] = useState<'ended' | { error: unknown } | undefined>(
    hasEnded ? 'ended' : undefined,
  )

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    setTrying(true)
    try {
      await signIn(key.trim(), { isRemembered })
      onSignedIn()
    } catch (error) {
      setProblem({ error })
      setTrying(false)
    }
  }

  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={440}>
        <form onSubmit={submit} method="post">
          <Stack>
            <Group justify="space-between" wrap="nowrap">
              <Group gap="sm" wrap="nowrap">
                <Logo size={32} />
                <Title order={1} size="h3">
                  {texts.heading}
                </Title>
              </Group>
              <LanguageMenu />
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
              label={texts.apiKey}
              name="password"
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={
                problem && (
                  <span role="alert">
                    {problem === 'ended' ? texts.ended : problemText(problem.error)}
                  </span>
                )
              }
              visibilityToggleButtonProps={{ 'aria-label': texts.showKey }}
              autoComplete="current-password"
              autoFocus
              required
            />
            <Checkbox
              label={texts.remember}
              description={texts.rememberHint}
              checked={isRemembered}
              onChange={(event) => setRemembered(event.currentTarget.checked)}
            />
            <ActionButton isBusy={isTrying} disabled={key.trim() === ''}>
              {texts.title}
            </ActionButton>
            <div className={classes.help}>
              <Text size="sm" c="dimmed">
                {texts.noKey}
              </Text>
              <Code block className={classes.command}>
                {COMMAND}
              </Code>
              <Text size="sm" c="dimmed">
                {rich(texts.keyOnce, {
                  reference: (
                    <Anchor href="/docs" underline="always">
                      {texts.reference}
                    </Anchor>
                  ),
                })}
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
  return fill(texts.keyHint, { end: key.trim().slice(-4) })
}

function problemText(error: unknown): string {
  if (isStowageError(error, 'unauthenticated')) return texts.invalidKey
  if (isStowageError(error, 'key_expired')) return errorText(error)
  // If the browser kept no session (`network` with a status), `errorText` would call the service unreachable.
  if (isStowageError(error) && error.status > 0) return error.message
  return errorText(error)
}
