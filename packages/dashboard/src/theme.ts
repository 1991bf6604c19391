import { createTheme } from '@mantine/core'

export const theme = createTheme({ primaryColor: 'cyan', defaultRadius: 'md' })
