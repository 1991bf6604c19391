import {
  Button,
  Center,
  Checkbox,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { createClient, isStowageError } from '@stowage/client'
import { type FormEvent, useState } from 'react'
import { Mark } from '../components/logo.tsx'
import { useTitle } from '../components/use-title.ts'
import { errorWords } from '../format/error-text.ts'

interface Props {
  /** There was a key, which the service does not take any more. */
  hadKey: boolean
  onKey(key: string, isRemembered: boolean): void
}

/** The key is tried before it is taken. */
export function SignIn({ hadKey, onKey }: Props) {
  useTitle('Sign in')
  const [key, setKey] = useState('')
  const [isRemembered, setRemembered] = useState(false)
  const [isTrying, setTrying] = useState(false)
  const [problem, setProblem] = useState(
    hadKey ? 'The key you used is not valid any more.' : undefined,
  )

  async function signIn(event: FormEvent): Promise<void> {
    event.preventDefault()
    setTrying(true)
    try {
      await createClient({ baseUrl: location.origin, apiKey: key.trim() }).account()
      onKey(key.trim(), isRemembered)
    } catch (error) {
      const isWrong = isStowageError(error, 'unauthenticated')
      setProblem(isWrong ? 'The service does not know this key.' : errorWords(error))
      setTrying(false)
    }
  }

  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <form onSubmit={signIn}>
          <Stack>
            <Group gap="sm">
              <Mark size={32} />
              <Title order={1} size="h3">
                Sign in to Stowage
              </Title>
            </Group>
            <PasswordInput
              label="API key"
              description="Whoever runs the service makes one with: stowage keys add"
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={problem && <span role="alert">{problem}</span>}
              autoComplete="off"
              autoFocus
              required
            />
            <Checkbox
              label="Remember it on this computer"
              checked={isRemembered}
              onChange={(event) => setRemembered(event.currentTarget.checked)}
            />
            <Text size="sm" c="dimmed">
              Otherwise it is forgotten when you close this tab.
            </Text>
            <Button type="submit" loading={isTrying} disabled={key.trim() === ''}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}
