import { Center, Checkbox, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { createClient, isStowageError } from '@stowage/client'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { Logo } from '../components/logo.tsx'
import { useTitle } from '../components/use-title.ts'
import { errorText } from '../format/error-text.ts'

interface Props {
  /** The service rejected a key that was valid before. */
  hadKey: boolean
  onKey(key: string, isRemembered: boolean): void
}

/** Tests the key with a request before it accepts it. */
export function SignIn({ hadKey, onKey }: Props) {
  useTitle('Sign in')
  const [key, setKey] = useState('')
  const [isRemembered, setRemembered] = useState(false)
  const [isTrying, setTrying] = useState(false)
  const [problem, setProblem] = useState(
    hadKey ? 'Your key is no longer valid. Sign in with another one.' : undefined,
  )

  async function signIn(event: FormEvent): Promise<void> {
    event.preventDefault()
    setTrying(true)
    try {
      await createClient({ baseUrl: location.origin, apiKey: key.trim() }).account()
      onKey(key.trim(), isRemembered)
    } catch (error) {
      const isWrong = isStowageError(error, 'unauthenticated')
      setProblem(isWrong ? 'Invalid API key.' : errorText(error))
      setTrying(false)
    }
  }

  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <form onSubmit={signIn}>
          <Stack>
            <Group gap="sm">
              <Logo size={32} />
              <Title order={1} size="h3">
                Sign in to Stowage
              </Title>
            </Group>
            <PasswordInput
              label="API key"
              description="The operator of the service creates keys with: stowage keys add"
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={problem && <span role="alert">{problem}</span>}
              autoComplete="off"
              autoFocus
              required
            />
            <Checkbox
              label="Remember the key on this computer"
              checked={isRemembered}
              onChange={(event) => setRemembered(event.currentTarget.checked)}
            />
            <Text size="sm" c="dimmed">
              Otherwise the key is forgotten when you close this tab.
            </Text>
            <ActionButton isBusy={isTrying} disabled={key.trim() === ''}>
              Sign in
            </ActionButton>
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}
