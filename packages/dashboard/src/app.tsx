import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { styleNonce } from './style-nonce.ts'
import { theme } from './theme.ts'

export function App() {
  const [queries] = useState(() => new QueryClient())
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queries}>Stowage</QueryClientProvider>
    </MantineProvider>
  )
}
