export interface Message {
  method: string
  target: string
  headers: string[]
  body: string
}
