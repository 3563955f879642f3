/** What the benchmark uses of autocannon, which has no types of its own. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events'

  type Request = { method: string; path: string; headers: Record<string, string>; body: Buffer }
  type Client = { setRequests(requests: Request[]): void }
  type Options = {
    url: string
    connections: number
    amount: number
    timeout: number
    sampleInt: number
    setupClient(client: Client): void
  }
  type Result = { '2xx': number; non2xx: number; errors: number; latency: { p50: number; p99: number }; statusCodeStats: object }

  export default function autocannon(options: Options, done: (error: Error | null, result: Result) => void): EventEmitter
}
