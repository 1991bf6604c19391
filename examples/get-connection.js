/** Gets the URL of the service and an upload token from the backend of the page. This tab keeps both, to resume after a reload. */
export async function getConnection() {
  const saved = JSON.parse(sessionStorage.getItem('connection') ?? 'null')
  if (Date.parse(saved?.expires_at) > Date.now()) return saved
  const response = await fetch('token', { method: 'POST' })
  const connection = await response.json()
  if (!response.ok) throw new Error(connection.message)
  sessionStorage.setItem('connection', JSON.stringify(connection))
  return connection
}
