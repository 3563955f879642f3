import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type RawAnswer = { status: number; head: string; body: string }

export type RawConnection = {
  socket: Socket
  write(bytes: string | Uint8Array): void
  /** The next answer, whole; or what came until the server closed. */
  answer(): Promise<RawAnswer>
  close(): void
}

/** A connection on which every byte is ours, for requests that no well-behaved client makes. Half-open, it stays when the server ends. */
export async function openRaw(url: string, { allowHalfOpen = false } = {}): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen })
  let received = ''
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
  })
  socket.on('error', () => {})
  await once(socket, 'connect')

  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    async answer() {
      while (!isWhole(received) && !socket.closed && !socket.readableEnded)
        await Promise.race([once(socket, 'data'), once(socket, 'close'), once(socket, 'end')])
      const answer = parseAnswer(received)
      received = ''
      return answer
    },
    close: () => void socket.destroy(),
  }
}

/** Sends one request, byte by byte as given, and returns the answer. */
export async function sendRaw(url: string, ...parts: (string | Uint8Array)[]): Promise<RawAnswer> {
  const connection = await openRaw(url)
  for (const part of parts) connection.write(part)
  const answer = await connection.answer()
  connection.close()
  return answer
}

export function requestHead(headers: Record<string, string | number>, line = 'POST /webhooks/stripe HTTP/1.1'): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${line}\r\n${lines.join('')}\r\n`
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  return length !== undefined && text.length >= end + 4 + Number(length)
}

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: rest.join('\r\n\r\n') }
}
