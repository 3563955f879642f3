import { OPERATOR_TOKEN } from '../targets/gateway.ts'

export async function ask(url: string): Promise<string> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${OPERATOR_TOKEN}` } })
  const answer = await response.text()
  if (!response.ok) throw new Error(`GET ${url} answered ${response.status}`)
  return answer
}
