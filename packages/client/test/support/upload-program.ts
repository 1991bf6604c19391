import { createClient } from '@stowage/client/node'
import type { UploadArguments } from './upload-process.ts'

/** Uploads one file and prints the asset's id. */
const { baseUrl, path, stateFolder }: UploadArguments = JSON.parse(process.argv[2] ?? '{}')
const { id } = await createClient({ baseUrl, stateFolder }).upload(path)
console.log(id)
