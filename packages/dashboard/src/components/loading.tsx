import { Center, Loader } from '@mantine/core'

export function Loading() {
  return (
    <Center mih={240} role="status" aria-label="Loading">
      <Loader />
    </Center>
  )
}
