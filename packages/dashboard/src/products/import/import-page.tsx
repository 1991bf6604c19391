import { Button, Group, Progress, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { BackLink } from '../../components/back-link.tsx'
import { ErrorAlert } from '../../components/error-alert.tsx'
import { Loading } from '../../components/loading.tsx'
import { Name } from '../../components/name.tsx'
import { useFocusHandover } from '../../components/use-focus-handover.ts'
import { useLeaveWarning } from '../../components/use-leave-warning.ts'
import { useTitle } from '../../components/use-title.ts'
import { countText, numberText } from '../../format/count-text.ts'
import { IconAlertTriangle, IconCircleCheck } from '../../icons/icons.ts'
import { useHasScope } from '../../session/require-scope.tsx'
import { ChooseFile } from './choose-file.tsx'
import { ImportPreview } from './import-preview.tsx'
import { ProblemTable } from './import-tables.tsx'
import { importedText } from './imported-text.ts'
import { changesOf } from './preview.ts'
import { type Import, useImport } from './use-import.ts'

export function ImportPage() {
  useTitle('Import products')
  const { state, read, send, restart } = useImport()
  const canWrite = useHasScope('write')
  useLeaveWarning(state.step === 'sending' && state.failure === undefined)
  return (
    <Stack gap="md">
      <BackLink list="/products">All products</BackLink>
      <Title order={1} size="h2">
        Import products
      </Title>
      {'fileName' in state && <Name c="dimmed">{state.fileName}</Name>}
      {'preview' in state && <Name c="dimmed">{state.preview.fileName}</Name>}
      <StepContent key={state.step}>
        {state.step === 'choosing' && canWrite && <ChooseFile onFile={(file) => void read(file)} />}
        {state.step === 'choosing' && !canWrite && (
          <Text>
            Your key is read-only. To import products, sign in with a key that has the write or
            manage scope.
          </Text>
        )}
        {state.step === 'reading' && <Loading />}
        {state.step === 'failed' && (
          <>
            <ErrorAlert
              title="Could not preview the import"
              error={state.error}
              isRepeated={false}
              onRetry={state.retry}
            />
            <ChooseAnother onClick={restart} />
          </>
        )}
        {state.step === 'reviewing' && (
          <ImportPreview
            preview={state.preview}
            onSend={() => void send(state.preview)}
            onRestart={restart}
          />
        )}
        {state.step === 'sending' && (
          <Sending
            state={state}
            onRetry={() => void send(state.preview, state.done)}
            onRestart={restart}
          />
        )}
        {state.step === 'done' && <Done preview={state.preview} onRestart={restart} />}
      </StepContent>
    </Stack>
  )
}

/** Hands the focus to the page when the step ends, because its buttons disappear. */
function StepContent({ children }: { children: ReactNode }) {
  const content = useFocusHandover<HTMLDivElement>()
  return (
    <Stack ref={content} gap="md">
      {children}
    </Stack>
  )
}

type Step<Name extends Import['step']> = Extract<Import, { step: Name }>

function ChooseAnother({ onClick }: { onClick(): void }) {
  return (
    <Button variant="default" onClick={onClick} w="fit-content">
      Choose another file
    </Button>
  )
}

interface SendingProps {
  state: Step<'sending'>
  onRetry(): void
  onRestart(): void
}

function Sending({ state, onRetry, onRestart }: SendingProps) {
  const { done, failure, preview } = state
  const total = changesOf(preview).length
  return (
    <Stack gap="sm" maw={640}>
      <Progress
        value={(done / total) * 100}
        size="lg"
        aria-label="Imported products"
        animated={failure === undefined}
        color={failure === undefined ? 'cyan' : 'orange'}
      />
      <Text role="status">
        {numberText(done)} of {countText(total, 'product')} imported
      </Text>
      {failure !== undefined && (
        <>
          <ErrorAlert
            title="The import stopped"
            error={
              failure.problems.length > 0
                ? 'The service rejected the products below.'
                : failure.error
            }
            isRepeated={false}
            onRetry={onRetry}
          />
          {failure.problems.length > 0 && (
            <ProblemTable problems={failure.problems} format={preview.format} />
          )}
          <ChooseAnother onClick={onRestart} />
        </>
      )}
    </Stack>
  )
}

function Done({ preview, onRestart }: { preview: Step<'done'>['preview']; onRestart(): void }) {
  const count = (outcome: string) =>
    numberText(preview.compared.filter((product) => product.outcome === outcome).length)
  const { problems, format } = preview
  const isComplete = problems.length === 0
  return (
    <Stack gap="md">
      <Stack gap="sm" align="flex-start" role="status">
        <Group gap="sm" wrap="nowrap">
          {isComplete ? (
            <IconCircleCheck size={32} color="var(--mantine-color-teal-text)" aria-hidden />
          ) : (
            <IconAlertTriangle size={32} color="var(--mantine-color-orange-text)" aria-hidden />
          )}
          <Title order={2} size="h3">
            {importedText(preview)}
          </Title>
        </Group>
        <Text>
          {count('new')} added, {count('changed')} changed, {count('unchanged')} unchanged.
        </Text>
      </Stack>
      <Group>
        <Button component={Link} href="/products">
          View products
        </Button>
        <Button variant="default" onClick={onRestart}>
          Import another file
        </Button>
      </Group>
      {!isComplete && (
        <section aria-labelledby="skipped">
          <Title order={3} size="h5" id="skipped">
            Not imported
          </Title>
          <ProblemTable problems={problems} format={format} />
        </section>
      )}
    </Stack>
  )
}
